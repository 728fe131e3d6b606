"""Kinematics of a URDF file computed from its XML with NumPy alone, for stacks of configurations."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np


def numbers(text):
    return np.array([float(x) for x in text.split()])


def turn(axis, angle):
    """4 x 4 rotations about a unit axis, one per angle, by Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    X = np.tile(np.eye(4), (len(angle), 1, 1))
    X[:, :3, :3] += np.sin(angle)[:, None, None] * K + (1 - np.cos(angle))[:, None, None] * (K @ K)
    return X


def shift(direction, distance):
    X = np.tile(np.eye(4), (len(distance), 1, 1))
    X[:, :3, 3] = distance[:, None] * direction
    return X


def quaternion_matrix(q):
    """Rotation matrices of unit quaternions (x, y, z, w)."""
    v, w = q[:, :3], q[:, 3]
    R = 2 * v[:, :, None] * v[:, None, :] + (w**2 - (v**2).sum(1))[:, None, None] * np.eye(3)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        R[:, j, i] += 2 * w * v[:, k]
        R[:, i, j] -= 2 * w * v[:, k]
    return R


@dataclass
class ReferenceJoint:
    name: str
    type: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    mimic: tuple


def read_joint(element):
    origin = element.find("origin")
    attributes = {} if origin is None else origin.attrib
    roll, pitch, yaw = numbers(attributes.get("rpy", "0 0 0"))
    X = np.eye(4)
    for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll)):
        X = X @ turn(axis, np.array([angle]))[0]
    X[:3, 3] = numbers(attributes.get("xyz", "0 0 0"))
    axis = element.find("axis")
    axis = numbers("1 0 0" if axis is None else axis.get("xyz"))
    mimic = element.find("mimic")
    if mimic is not None:
        mimic = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    link = {end: element.find(end).get("link") for end in ("parent", "child")}
    kind = element.get("type")
    if kind != "fixed":
        axis = axis / np.linalg.norm(axis)
    return ReferenceJoint(element.get("name"), kind, link["parent"], link["child"], X, axis, mimic)


class Reference:
    """A URDF file at a stack of configurations of the mechanism `m`, whose slices say what stands where in q."""

    def __init__(self, path, m, q, floating=False, free_mimic=False):
        root = ElementTree.parse(path).getroot()
        self.m, self.q, self.free_mimic = m, q, free_mimic
        self.links = [e.get("name") for e in root.findall("link")]
        self.joint_of = {j.child: j for j in map(read_joint, root.findall("joint"))}
        (self.root,) = [name for name in self.links if name not in self.joint_of]
        self.mass = sum(float(e.get("value")) for e in root.findall("link/inertial/mass"))
        self.floating = floating
        self.poses = {}

    def leader(self, joint):
        """(name, ratio, offset) of the joint whose coordinate moves this one, through chains of followers."""
        if joint.mimic is None or self.free_mimic:
            return joint.name, 1.0, 0.0
        name, ratio, offset = joint.mimic
        above = next(j for j in self.joint_of.values() if j.name == name)
        top, more, start = self.leader(above)
        return top, ratio * more, ratio * start + offset

    def pose(self, link):
        if link not in self.poses:
            self.poses[link] = self.root_pose() if link == self.root else self.moved(self.joint_of[link])
        return self.poses[link]

    def root_pose(self):
        X = np.tile(np.eye(4), (len(self.q), 1, 1))
        if self.floating:
            free = self.q[:, self.m.q_slice("root_joint")]
            X[:, :3, :3] = quaternion_matrix(free[:, 3:])
            X[:, :3, 3] = free[:, :3]
        return X

    def moved(self, joint):
        X = self.pose(joint.parent) @ joint.origin
        if joint.type == "fixed":
            return X
        name, ratio, offset = self.leader(joint)
        at = ratio * self.q[:, self.m.q_slice(name)][:, 0] + offset
        return X @ (shift(joint.axis, at) if joint.type == "prismatic" else turn(joint.axis, at))

    def jacobian(self, link, point):
        """World axes, at the point (in link coordinates): velocity of the point, then angular velocity."""
        J = np.zeros((len(self.q), 6, self.m.nv))
        p = (self.pose(link) @ np.append(point, 1.0))[:, :3]
        while link != self.root:
            joint = self.joint_of[link]
            if joint.type != "fixed":
                name, ratio, _ = self.leader(joint)
                J[:, :, self.m.v_slice(name).start] += ratio * self.column(joint, p)
            link = joint.parent
        if self.floating:
            start = self.m.v_slice("root_joint").start
            X = self.pose(self.root)
            for k in range(3):
                axis = X[:, :3, k]
                J[:, :3, start + k] = axis
                J[:, :3, start + 3 + k] = np.cross(axis, p - X[:, :3, 3])
                J[:, 3:, start + 3 + k] = axis
        return J

    def column(self, joint, p):
        X = self.pose(joint.child)
        z = X[:, :3, :3] @ joint.axis
        if joint.type == "prismatic":
            return np.hstack([z, np.zeros_like(z)])
        return np.hstack([np.cross(z, p - X[:, :3, 3]), z])
