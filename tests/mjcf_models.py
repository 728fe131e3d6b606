"""Random MJCF models, one function for each feature of the language: for comparing readers. Seeds give the same model again."""

import random


def numbers(r, count, low=-1.0, high=1.0):
    return " ".join(f"{r.uniform(low, high):.6g}" for _ in range(count))


def orientation(r):
    kind = r.choice(["quat", "axisangle", "xyaxes", "zaxis", "euler", ""])
    count = {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}.get(kind)
    if kind == "euler":
        return f'euler="{numbers(r, 3, -200, 200)}"'
    return f'{kind}="{numbers(r, count)}"' if kind else ""


def place(r):
    return f'pos="{numbers(r, 3)}" {orientation(r)}'


SHAPES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}


def geom(r, extra=""):
    kind = r.choice(list(SHAPES))
    size = numbers(r, SHAPES[kind], 0.05, 0.3)
    mass = r.choice(["", f'mass="{r.uniform(0.1, 3):.4g}"', f'density="{r.uniform(100, 3000):.4g}"'])
    if kind != "sphere" and r.random() < 0.3:
        return f'<geom type="{kind}" size="{numbers(r, 1, 0.05, 0.3)}" fromto="{numbers(r, 6)}" {mass} {extra}/>'
    return f'<geom type="{kind}" size="{size}" {place(r)} {mass} {extra}/>'


def joints(r, name):
    stack = r.choice([["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "hinge", "slide"], ["slide", "ball"]])
    out = ""
    for i, kind in enumerate(stack):
        more = "" if kind == "ball" else f'axis="{numbers(r, 3)}" ref="{r.uniform(-40, 40) if kind == "hinge" else r.uniform(-1, 1):.4g}"'
        limits = "" if kind == "ball" else r.choice(["", 'range="-30 60"', 'range="-30 60" limited="false"', 'range="5 -5"'])
        passive = r.choice(["", 'damping="0.4"', 'armature="0.1" frictionloss="0.2"', 'stiffness="3" springref="0.1"'])
        out += f'<joint name="{name}_{i}" type="{kind}" pos="{numbers(r, 3)}" {more} {limits} {passive}/>'
    return out


def body(r, name, inside="", geoms=None):
    content = geoms if geoms is not None else "".join(geom(r) for _ in range(r.randint(1, 3)))
    return f'<body name="{name}" {place(r)}>{joints(r, name)}{content}{inside}</body>'


def model(inner, compiler="", sections=""):
    return f"<mujoco><compiler {compiler}/>{sections}<worldbody>{inner}</worldbody></mujoco>"


def chains(r):
    sequence = "".join(r.choice("xyzXYZ") for _ in range(3))
    tree = body(r, "a", body(r, "b", body(r, "c")) + body(r, "d"))
    return model(tree, f'eulerseq="{sequence}" angle="{r.choice(["degree", "radian"])}"')


def free_bodies(r):
    free = f'<body name="f" {place(r)}><freejoint name="root" align="{r.choice(["true", "false"])}"/>{geom(r)}{geom(r)}<site name="s" {place(r)}/></body>'
    return model(free + f'<body name="g" {place(r)}><joint type="free" damping="0.1"/>{geom(r)}{body(r, "h")}</body>')


def frames(r):
    inner = f'<site name="s" {place(r)}/>{geom(r)}{body(r, "b")}'
    nested = f'<frame {place(r)}><frame name="n" {place(r)}>{joints(r, "j")}{inner}</frame>{geom(r)}</frame>'
    return model(f'<frame {place(r)}><body name="a">{nested}</body></frame>')


def replicates(r):
    count = r.randint(1, 12)
    one = f'<body name="b" {place(r)}><joint name="j"/>{geom(r)}<site name="s" {place(r)}/></body>'
    inner = f'<replicate count="{r.randint(1, 3)}" offset="{numbers(r, 3)}" sep="-">{one}</replicate>' if r.random() < 0.5 else one
    drives = '<actuator><motor name="m" joint="j"/></actuator>' if inner is one else ""
    return model(f'<replicate count="{count}" offset="{numbers(r, 3)}" euler="{numbers(r, 3, -90, 90)}" sep="_">{inner}</replicate>', "", drives)


def classes(r):
    def settings():
        items = [f'<joint damping="{r.uniform(0, 1):.3g}"/>', f'<joint armature="{r.uniform(0, 1):.3g}"/>', f'<geom density="{r.uniform(100, 900):.4g}"/>',
                 f'<geom type="box" size="{numbers(r, 3, 0.1, 0.4)}"/>', f'<geom euler="{numbers(r, 3, -90, 90)}"/>', f'<geom quat="{numbers(r, 4)}"/>',
                 f'<position kp="{r.uniform(1, 50):.4g}"/>', f'<general biasprm="0 {r.uniform(-3, 3):.3g} -1"/>', f'<joint type="slide" axis="{numbers(r, 3)}"/>']
        chosen = {item.split()[0]: item for item in r.sample(items, r.randint(0, 6))}  # each element once
        return "".join(chosen.values())

    nested = f'<default class="x">{settings()}<default class="y">{settings()}</default></default>'
    pick = lambda: r.choice(["", 'class="x"', 'class="y"', 'class="main"'])
    tree = ""
    for i in range(4):
        tree += (f'<body name="b{i}" {place(r)} {r.choice(["", chr(99) + "hildclass=" + chr(34) + "y" + chr(34)])}><joint name="j{i}" {pick()}/>'
                 f'<geom size="0.2 0.3 0.1" {pick()}/></body>')
    drives = "".join(f'<{r.choice(["position", "motor", "general", "velocity"])} joint="j{i}" {pick()}/>' for i in range(4))
    return model(tree, "", f'<default>{nested}{settings()}</default><actuator>{drives}</actuator>')


def masses(r):
    settings = r.choice(["", 'boundmass="2" boundinertia="0.1"', 'settotalmass="7"', 'inertiagrouprange="0 2"', 'inertiafromgeom="true"', 'balanceinertia="true"'])
    inertial = r.choice([f'<inertial pos="{numbers(r, 3)}" mass="1.5" diaginertia="0.3 0.4 0.5" {orientation(r)}/>',
                         f'<inertial pos="{numbers(r, 3)}" mass="0.5" fullinertia="0.3 0.4 0.5 {numbers(r, 3, -0.1, 0.1)}"/>',
                         f'<inertial pos="{numbers(r, 3)}" mass="0.01" fullinertia="3e-6 4e-6 5e-6 {numbers(r, 3, -1e-6, 1e-6)}"/>'])
    shells = "".join(geom(r, f'shellinertia="{r.choice(["true", "false"])}" group="{r.randint(0, 4)}"') for _ in range(2))
    return model(body(r, "a", body(r, "b", "", shells + geom(r)), inertial) + body(r, "c"), settings)


def mesh(r, name, shell=True):
    """A closed surface of a box whose corners are moved, so that its faces are not flat and its volumes differ by rule."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    vertices = " ".join(f"{c + r.uniform(-0.3, 0.3):.5f}" for corner in corners for c in corner)
    faces = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3"
    mode = r.choice(["", 'inertia="legacy"', 'inertia="exact"', 'inertia="convex"'] + ['inertia="shell"'] * shell)
    scale = r.choice(["", 'scale="0.2 0.3 0.4"', 'scale="-0.2 0.3 0.4"', 'scale="-1 -1 1"'])
    reference = r.choice(["", f'refpos="{numbers(r, 3)}"', f'refpos="{numbers(r, 3)}" refquat="{numbers(r, 4)}"'])
    surface = f'face="{faces}"' if r.random() < 0.8 else ""
    return f'<asset><mesh name="{name}" vertex="{vertices}" {surface} {mode} {scale} {reference}/></asset>'


def meshes(r):
    geoms = lambda name: f'<geom type="mesh" mesh="{name}" {place(r)} {r.choice(["", "mass=" + chr(34) + "2" + chr(34)])}/>'
    return model(body(r, "a", body(r, "b", "", geoms("m")), geoms("m") + geom(r)) + body(r, "c", "", geoms("n")), "", mesh(r, "m") + mesh(r, "n"))


def fitted(r):
    shapes = "".join(f'<body name="b{i}" {place(r)}><joint/><geom type="{kind}" mesh="m" {place(r)} fitscale="{r.choice(["1", "0.5"])}"/></body>'
                     for i, kind in enumerate(SHAPES))
    return model(shapes, f'fitaabb="{r.choice(["true", "false"])}"', mesh(r, "m", shell=False))


def drives(r):
    kinds = ['<motor joint="a_0" gear="{}" ctrlrange="-2 3"/>', '<position joint="a_0" kp="{}" kv="2" forcerange="-5 5"/>', '<position joint="b_0" kp="{}" dampratio="0.7" gear="3"/>',
             '<velocity joint="b_0" kv="{}"/>', '<damper joint="a_0" kv="{}" ctrlrange="0 1"/>', '<general joint="b_0" gaintype="affine" gainprm="{} 2 3" biastype="affine" biasprm="4 5 6"/>',
             '<position joint="a_0" kp="{}" inheritrange="0.8"/>', '<intvelocity joint="a_0" kp="{}" actrange="-1 1"/>', '<motor jointinparent="b_0" gear="{}" armature="0.3"/>']
    chosen = "".join(kind.format(f"{r.uniform(1, 20):.4g}") for kind in r.sample(kinds, r.randint(1, len(kinds))))
    tree = (f'<body name="a" {place(r)}><joint name="a_0" range="-50 70" axis="{numbers(r, 3)}" armature="0.02"/>{geom(r)}<body name="b" {place(r)}>'
            f'<joint name="b_0" type="slide" axis="{numbers(r, 3)}" springdamper="{r.choice(["0 0", "0.3 0.8"])}"/>{geom(r)}</body></body>')
    return model(tree, "", f"<actuator>{chosen}</actuator>")


def equalities(r):
    tree = body(r, "a", body(r, "b")) + body(r, "c") + f'<site name="w" {place(r)}/>'
    chosen = r.sample([f'<connect body1="b" body2="c" anchor="{numbers(r, 3)}"/>', f'<connect body1="c" anchor="{numbers(r, 3)}"/>', '<weld body1="b" body2="c"/>',
                       f'<weld body1="a" body2="c" anchor="{numbers(r, 3)}"/>', f'<weld body1="a" body2="c" anchor="{numbers(r, 3)}" relpose="{numbers(r, 7)}"/>'], r.randint(1, 5))
    return model(tree, "", f'<equality>{"".join(chosen)}</equality>')


def numbered(r, name, low, high, least=1, most=1):
    """An attribute with some numbers, or nothing."""
    return f'{name}="{numbers(r, r.randint(least, most), low, high)}"' if r.random() < 0.5 else ""


def articulated(r):
    """A chain with a joint of every type on a free root, with sites, spheres and cylinders on each body."""
    inner = ""
    for i, joint in reversed(list(enumerate(['<freejoint name="root"/>', '<joint name="h" axis="1 2 0" ref="10"/>', '<joint name="b" type="ball" pos="0 0 0.1"/>',
                                             '<joint name="s" type="slide" axis="0 1 1"/>', '<joint name="h2" pos="0.1 0 0"/><joint name="h3" axis="0 1 0" springref="-20"/>']))):
        sites = "".join(f'<site name="s{i}{k}" {place(r)}/>' for k in range(3))
        shapes = f'<geom name="g{i}" type="sphere" size="{r.uniform(0.1, 0.5):.3g}" {place(r)}/><geom name="c{i}" type="cylinder" size="{r.uniform(0.1, 0.5):.3g} 0.2" {place(r)}/>'
        inner = f'<body name="l{i}" {place(r) if i == 0 else f"pos={chr(34)}{numbers(r, 3, -0.3, 0.3)}{chr(34)} {orientation(r)}"}>{joint}{sites}{shapes}{inner}</body>'
    return inner + f'<site name="w0" {place(r)}/><site name="w1" {place(r)}/>'


SITES = [f"s{i}{k}" for i in range(5) for k in range(3)] + ["w0", "w1"]
SHAPE_NAMES = [f"{kind}{i}" for kind in "gc" for i in range(5)]


def path(r, wraps=True):
    out, branches = "", r.randint(1, 3)
    for branch in range(branches):
        out += f'<pulley divisor="{r.uniform(0.5, 4):.3g}"/>' if branch or r.random() < 0.2 else ""
        out += f'<site site="{r.choice(SITES)}"/>'
        for _ in range(r.randint(1, 3)):
            side = r.choice(["", f'sidesite="{r.choice(SITES)}"'])
            out += f'<geom geom="{r.choice(SHAPE_NAMES)}" {side}/>' if wraps and r.random() < 0.6 else ""
            out += f'<site site="{r.choice(SITES)}"/>'
    return out


def tendon_settings(r, armature=False):
    length = r.choice(["", 'springlength="-1"', f'springlength="{r.uniform(0.1, 2):.3g}"', 'springlength="0.3 0.9"', 'range="0.5 1.5"'])
    more = numbered(r, "armature", 0, 1) if armature else ""
    return (f'{length} {numbered(r, "stiffness", 0, 5, 1, 3)} {numbered(r, "damping", 0, 2, 1, 3)} {numbered(r, "frictionloss", 0, 1)} {more} '
            + r.choice(["", 'actuatorfrcrange="-3 4"', 'actuatorfrcrange="-3 4" actuatorfrclimited="true"', 'actuatorfrcrange="-3 4" actuatorfrclimited="auto"']))


def tendons(r, sections="", armature=False):
    fixed = "".join(f'<fixed name="f{i}" {tendon_settings(r, armature)}>' + "".join(f'<joint joint="{j}" coef="{r.uniform(-2, 2):.4g}"/>' for j in r.sample(["h", "s", "h2", "h3"], r.randint(1, 4)))
                    + "</fixed>" for i in range(2))
    spatial = "".join(f'<spatial name="t{i}" {tendon_settings(r, armature)}>{path(r, not armature)}</spatial>' for i in range(4))
    classes = f'<default><tendon {numbered(r, "stiffness", 0, 5, 1, 3)} {numbered(r, "damping", 0, 5, 1, 3)}/></default>'
    return model(articulated(r), "", f"{classes}<tendon>{fixed}{spatial}</tendon>{sections}")


def tendon_inertia(r):
    return tendons(r, armature=True)


def target(r):
    gear = f'gear="{numbers(r, 6, -3, 3)}"'
    return r.choice([f'joint="{r.choice(["h", "s", "h2", "b", "root"])}" {gear}', f'jointinparent="{r.choice(["b", "root", "h"])}" {gear}',
                     f'tendon="{r.choice(["f0", "f1", "t0", "t1", "t2"])}" {gear}', f'site="{r.choice(SITES)}" {gear}',
                     f'site="{r.choice(SITES)}" refsite="{r.choice(SITES)}" {gear}',
                     f'cranksite="{r.choice(SITES)}" slidersite="{r.choice(SITES)}" cranklength="{r.uniform(0.3, 3):.3g}" {gear}'])


LAWS = ['motor @', 'position @ kp="{0}" kv="{1}"', 'position @ kp="{0}" timeconst="{1}"', 'velocity @ kv="{0}"', 'intvelocity @ kp="{0}" actrange="-0.4 0.7"',
        'cylinder @ timeconst="{0}" area="{1}" bias="1 2 3"', 'cylinder @ diameter="{0}"', 'damper @ kv="{0}" ctrlrange="0 1"',
        'general @ dyntype="integrator" gaintype="affine" gainprm="{0} 2 3" biastype="affine" biasprm="{1} 5 6"',
        'general @ dyntype="filter" dynprm="{0}" actrange="0.2 0.5"', 'general @ dyntype="filterexact" dynprm="{0}" biastype="affine" biasprm="{1} 1"',
        'muscle @ lengthrange="0.2 {0}"', 'muscle @ lengthrange="-1 {0}" force="{1}" range="0.6 1.2" tausmooth="0.3" timeconst="0.02 0.1"',
        'muscle @ lengthrange="0.1 {0}" scale="{1}" lmin="0.4" lmax="1.8" vmax="2" fpmax="1.5" fvmax="1.4"']


def drive_targets(r):
    chosen = ""
    for law in r.sample(LAWS, 5):
        said = law.format(f"{r.uniform(1, 20):.4g}", f"{r.uniform(0.5, 3):.4g}").replace("@", target(r))
        chosen += f'<{said} {r.choice(["", "forcerange=" + chr(34) + "-2 3" + chr(34)])} {"" if "damper" in said else r.choice(["", "ctrlrange=" + chr(34) + "-0.5 0.8" + chr(34)])}/>'
    return tendons(r, f"<actuator>{chosen}</actuator>")


def damping_ratios(r):
    """On joints, tendons and sites: by the inertia that each sees as drawn."""
    chosen = "".join(f'<position {target(r)} kp="{r.uniform(1, 50):.4g}" dampratio="{r.uniform(0.1, 2):.3g}"/>' for _ in range(4))
    return tendons(r, f"<actuator>{chosen}</actuator>")


def passive(r):
    """Polynomials of springs and dampers, gravity compensation by itself and by drives, damping of drives, bounds of joints."""
    tree = ""
    for i, kind in enumerate(["hinge", "slide", "ball", "hinge"]):
        carried = r.choice(["", 'actuatorgravcomp="true"']) if kind != "ball" else ""
        bound = r.choice(["", 'actuatorfrcrange="-1 2"']) if kind != "ball" else ""
        joint = f'<joint name="j{i}" type="{kind}" {numbered(r, "stiffness", 0, 5, 1, 3)} {numbered(r, "damping", 0, 3, 1, 3)} {numbered(r, "springref", -1, 1)} {carried} {bound}/>'
        tree = f'<body {place(r)} {numbered(r, "gravcomp", 0, 2)}>{joint}{geom(r)}{tree}</body>'
    drives = f'<motor joint="j0" gear="3" {numbered(r, "damping", 0, 2, 1, 3)} {numbered(r, "armature", 0, 1)}/><motor joint="j1"/><motor joint="j3" gear="-2"/>'
    flags = r.choice(["", '<option gravity="0.1 0.2 -3"/>', '<option><flag spring="disable"/></option>', '<option><flag damper="disable"/></option>'])
    return model(tree, "", f"{flags}<actuator>{drives}</actuator>")


def keyframes(r):
    free = f'<body name="f" {place(r)}><freejoint/>{geom(r)}<body name="k" {place(r)}><joint type="ball"/>{geom(r)}</body></body>'
    hinge = f'<body name="h" {place(r)}><joint name="j" ref="20"/>{geom(r)}</body>'
    keys = f'<key name="full" time="2" qpos="{numbers(r, 12)}" qvel="{numbers(r, 10)}" ctrl="0.3"/><key name="drawn"/>'
    return model(free + hinge, "", f'<keyframe>{keys}</keyframe><actuator><motor joint="j"/></actuator>')


FEATURES = [chains, free_bodies, frames, replicates, classes, masses, meshes, fitted, drives, equalities, keyframes, tendons, tendon_inertia, drive_targets, damping_ratios, passive]


def text(feature, seed):
    """The model of a feature (one of FEATURES) for a seed."""
    return feature(random.Random(f"{feature.__name__} {seed}"))
