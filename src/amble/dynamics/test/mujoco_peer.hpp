#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <tinyxml2.h>

#include <memory>

#include "amble/base/test/source_dir.hpp"
#include "amble/io/source.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/mechanism/mechanism.hpp"

// MuJoCo with a model in it, at a state of ours.
namespace amble {

struct Peer {
  std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};
};

inline Peer peer_of(const std::string& text) {
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(text.size()));
  std::copy(text.begin(), text.end(), static_cast<char*>(vfs->filedata[mj_findFileVFS(vfs.get(), "model.xml")]));
  char error[1000] = "";
  Peer peer;
  peer.model.reset(mj_loadXML("model.xml", vfs.get(), error, sizeof error));
  mj_deleteVFS(vfs.get());
  if (peer.model == nullptr) throw Error(std::string("MuJoCo: ") + error);
  peer.data.reset(mj_makeData(peer.model.get()));
  return peer;
}

/// A URDF without shapes (their files are not here), told not to fuse bodies, which we compare one by one.
inline std::string without_shapes(const std::string& urdf) {
  tinyxml2::XMLDocument document;
  parse_xml(urdf, "robot.urdf", document);
  tinyxml2::XMLElement* robot = document.RootElement();
  for (auto* link = robot->FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link"))
    for (const char* kind : {"visual", "collision"})
      while (auto* shape = link->FirstChildElement(kind)) link->DeleteChild(shape);
  auto* compiler = robot->InsertNewChildElement("mujoco")->InsertNewChildElement("compiler");
  compiler->SetAttribute("fusestatic", "false");
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

/// Our q into MuJoCo's, joint by joint; its quaternions have w first.
inline void set_state(const Mechanism& m, const OwnedVector& q, const mjModel* model, mjData* data) {
  for (const Joint& j : m.joints()) {
    if (j.link < 0) continue;
    const int id = mj_name2id(model, mjOBJ_JOINT, j.name.c_str());
    ASSERT_GE(id, 0) << j.name;
    mjtNum* at = data->qpos + model->jnt_qposadr[id];
    const double* own = q.data() + j.q.start;
    const int turn = j.q.size == 7 ? 3 : 0;
    std::copy_n(own, j.q.size, at);
    if (j.q.size >= 4) at[turn] = own[turn + 3], std::copy_n(own + turn, 3, at + turn + 1);
  }
}

/// One of our models, or a robot that is on this machine by chance; empty when it is not.
inline std::string find_file(const std::string& name) {
  if (name.starts_with("models/")) return source_dir() + "/" + name;
  for (const std::string& file : all_models())
    if (file.ends_with("/" + name)) return file;
  return {};
}

/// A file's name as a test may have it.
inline std::string test_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace amble
