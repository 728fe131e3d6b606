#pragma once

#include <Eigen/Dense>

// Eigen's decompositions of MatrixXd, compiled once in decompositions.cpp instead of in each file that uses one: that
// halves the time of the heaviest files. Part of the precompiled headers; no source needs to include it.
namespace Eigen {

extern template class PartialPivLU<MatrixXd>;
extern template class FullPivLU<MatrixXd>;
extern template class LLT<MatrixXd>;
extern template class LDLT<MatrixXd>;
extern template class HouseholderQR<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template class EigenSolver<MatrixXd>;
extern template class JacobiSVD<MatrixXd>;
extern template class BDCSVD<MatrixXd>;
extern template class HouseholderSequence<MatrixXd, VectorXd>;

}  // namespace Eigen
