#include "amble/base/decompositions.hpp"

namespace Eigen {

template class PartialPivLU<MatrixXd>;
template class FullPivLU<MatrixXd>;
template class LLT<MatrixXd>;
template class LDLT<MatrixXd>;
template class HouseholderQR<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class CompleteOrthogonalDecomposition<MatrixXd>;
template class SelfAdjointEigenSolver<MatrixXd>;
template class EigenSolver<MatrixXd>;
template class JacobiSVD<MatrixXd>;
template class BDCSVD<MatrixXd>;
template class HouseholderSequence<MatrixXd, VectorXd>;

}  // namespace Eigen
