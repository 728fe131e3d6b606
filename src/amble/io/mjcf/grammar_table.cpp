#include "amble/io/mjcf/grammar_table.hpp"

// MJCF as of MuJoCo 3.12 in one table; MuJoCo's XML reference gives the meanings.
namespace amble {

namespace {

using T = MjcfTag;

constexpr MjcfGroup kGroups[] = {
    {"turn", "quat:4 axisangle:4 xyaxes:6 zaxis:3 euler:3"},
    {"place", "pos:3 @turn"},
    {"surface",
     "contype:i conaffinity:i condim:i priority:i friction:1-3 solmix:1~ solref:1-2~ solimp:1-5~ "
     "margin:1 "
     "gap:1~ adhesion:1~ surfacevel:1-6~"},
    {"soft_limit",
     "solreflimit:1-2~ solimplimit:1-5~ solreffriction:1-2~ solimpfriction:1-5~ margin:1~ group:i~ user:*~"},
    {"soft", "solref:1-2~ solimp:1-5~"},
    {"late", "nsample:i~ interp:zoh|linear|cubic~ delay:1~"},
    {"target",
     "joint jointinparent tendon site refsite cranksite slidersite cranklength:1 lengthrange:2 "
     "gear:1-6"},
    {"drive",
     "name class group:i~ user:*~ @late ctrllimited:a ctrlrange:2 forcelimited:a forcerange:2 damping:1-3 "
     "armature:1"},
    {"act", "actlimited:a actrange:2 actdim:i~ actearly:b~"},
    {"servo", "kp:1 kv:1 dampratio:1 inheritrange:1"},
    {"sensor", "name~ noise:1~ cutoff:1~ user:*~ interval:1-2~ @late"},
    {"object", "objtype~ objname~ reftype~ refname~"},
    {"picture",
     "texture~ texrepeat:2~ texuniform:b~ emission:1~ specular:1~ shininess:1~ reflectance:1~ metallic:1~ "
     "roughness:1~"},
    {"camera",
     "name class @place user:*~ mode:fixed|track|trackcom|targetbody|targetbodycom~ target~ "
     "projection:perspective|orthographic~ orthographic:b~ fovy:1~ ipd:1~ resolution:2~ output~ "
     "sensorsize:2~ focal:2~ "
     "focalpixel:2~ principal:2~ principalpixel:2~"},
    {"light",
     "name class pos:3 dir:3~ mode:fixed|track|trackcom|targetbody|targetbodycom~ target~ active:b~ "
     "castshadow:b~ "
     "directional:b~ type:spot|directional|point|image~ texture~ intensity:1~ range:1~ bulbradius:1~ "
     "attenuation:3~ "
     "cutoff:1~ exponent:1~ ambient:3~ diffuse:3~ specular:3~ softness:1~"},
};

constexpr const char* kSettings = "settings of MuJoCo's viewer";
constexpr const char* kSoft = "deformable bodies";
constexpr const char* kPlugin = "plugins";
constexpr const char* kSensors = "sensors";

constexpr MjcfRow kRows[] = {
    {"", "mujoco", T::mujoco, "mujoco", "", "model"},
    {"mujoco", "compiler", T::compiler, "compiler", "",
     "autolimits:b boundmass:1 boundinertia:1 settotalmass:1 balanceinertia:b strippath:b "
     "coordinate:local|global "
     "angle:radian|degree fitaabb:b eulerseq meshdir texturedir assetdir discardvisual:b~ usethread:b~ "
     "fusestatic:b~ "
     "inertiafromgeom:a inertiagrouprange:2 saveinertial:b~ alignfree:b conflict:warning|merge|error~ "
     "exactmeshinertia:b convexhull:b~"},
    {"compiler", "lengthrange", T::unread, "*", "ranges of lengths of muscles", ""},
    {"mujoco", "option", T::option, "option", "",
     "timestep:1~ apirate:1~ impratio:1~ tolerance:1~ ls_tolerance:1~ noslip_tolerance:1~ mpr_tolerance:1~ "
     "ccd_tolerance:1~ sleep_tolerance:1~ gravity:3 wind:3~ magnetic:3~ density:1~ viscosity:1~ o_margin:1~ "
     "o_solref:1-2~ o_solimp:1-5~ o_friction:1-5~ integrator:Euler|RK4|implicit|implicitfast~ "
     "cone:pyramidal|elliptic~ jacobian:dense|sparse|auto~ solver:PGS|CG|Newton~ iterations:i~ "
     "ls_iterations:i~ "
     "noslip_iterations:i~ mpr_iterations:i~ ccd_iterations:i~ sdf_iterations:i~ sdf_initpoints:i~ "
     "actuatorgroupdisable:*~ collision:all|predefined|dynamic~"},
    {"option", "flag", T::flag, "", "",
     "constraint:e equality:e frictionloss:e limit:e contact:e passive:e spring:e damper:e gravity:e "
     "clampctrl:e~ "
     "warmstart:e~ filterparent:e actuation:e refsafe:e~ sensor:e~ midphase:e~ nativeccd:e~ eulerdamp:e~ "
     "autoreset:e~ override:e~ energy:e~ fwdinv:e~ invdiscrete:e~ multiccd:e~ island:e~ sleep:e~ "
     "sensornoise:e~ "
     "diagexact:e~"},
    {"mujoco", "size", T::unread, "*", "sizes of MuJoCo's buffers", ""},
    {"mujoco", "visual", T::unread, "*", kSettings, ""},
    {"mujoco", "statistic", T::unread, "*", "statistics of the model", ""},
    {"mujoco", "extension", T::section, "extension", "", ""},
    {"extension", "plugin", T::unread, "*", kPlugin, ""},
    {"mujoco", "custom", T::section, "custom", "", ""},
    {"custom", "numeric", T::numeric, "", "fields of other programs", "name data:* size:i"},
    {"custom", "text", T::text, "", "fields of other programs", "name data"},
    {"custom", "tuple", T::unread, "*", "fields of other programs", ""},
    {"mujoco default", "default", T::default_class, "default", "", "class"},
    {"default", "equality", T::equality_default, "", "", "active:b @soft"},
    {"default", "tendon", T::tendon_default, "", "",
     "limited:a range:2 stiffness:1-3 damping:1-3 frictionloss:1 springlength:1-2 armature:1 width:1~ "
     "material~ "
     "rgba:4~ actuatorfrclimited:a actuatorfrcrange:2 @soft_limit"},
    {"mujoco", "asset", T::section, "asset", "", ""},
    {"asset default", "mesh", T::mesh, "mesh", "",
     "name class file content_type vertex:* normal:*~ texcoord:*~ face:* refpos:3 refquat:4 scale:3 "
     "smoothnormal:b~ maxhullvert:i~ inertia:convex|exact|legacy|shell builtin params:*~ material "
     "octree_maxdepth:i~"},
    {"mesh", "plugin", T::unread, "*", kPlugin, ""},
    {"asset", "hfield", T::hfield, "", "height fields",
     "name content_type file nrow:i~ ncol:i~ size:4 elevation:*~"},
    {"asset", "skin", T::unread, "*", kSoft, ""},
    {"asset", "texture", T::texture, "texture", "textures",
     "name class~ type:2d|cube|skybox~ colorspace:auto|linear|sRGB~ content_type file gridsize:2~ "
     "gridlayout~ "
     "fileright~ fileleft~ fileup~ filedown~ filefront~ fileback~ builtin:none|gradient|checker|flat~ "
     "rgb1:3~ rgb2:3~ "
     "mark:none|edge|cross|random~ markrgb:3~ random:1~ width:i~ height:i~ hflip:b~ vflip:b~ nchannel:i~"},
    {"texture", "plugin", T::unread, "*", kPlugin, ""},
    {"asset default", "material", T::material, "material", "", "name class rgba:4 @picture"},
    {"material", "layer", T::unread, "*", "textures", ""},
    {"asset", "model", T::model, "", "", "name file content_type"},
    {"mujoco", "worldbody", T::worldbody, "body", "", "name~ childclass"},
    {"body", "body", T::body, "body", "",
     "name childclass @place mocap:b gravcomp:1 sleep:auto|never|allowed|init~ simple~ user:*~"},
    {"body", "frame", T::frame, "body", "", "name childclass @place"},
    {"body", "replicate", T::replicate, "body", "", "count:i offset:3 euler:3 sep childclass"},
    {"body", "attach", T::attach, "", "", "model body frame prefix"},
    {"body", "inertial", T::inertial, "", "", "@place mass:1 diaginertia:3 fullinertia:6"},
    {"body default", "joint", T::joint, "joint", "",
     "name class type:free|ball|slide|hinge pos:3 axis:3 springdamper:2 limited:a range:2 "
     "actuatorfrclimited:a "
     "actuatorfrcrange:2 actuatorgravcomp:b ref:1 springref:1 stiffness:1-3 damping:1-3 armature:1 "
     "frictionloss:1 "
     "@soft_limit"},
    {"joint", "plugin", T::unread, "*", kPlugin, ""},
    {"body", "freejoint", T::freejoint, "", "", "name group:i~ align:a"},
    {"body default", "geom", T::geom, "geom", "",
     "name class type:plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf @place fromto:6 size:1-3 "
     "group:i @surface mass:1 density:1 shellinertia:b fluidshape:none|ellipsoid~ fluidcoef:1-5~ material "
     "rgba:4 "
     "hfield mesh fitscale:1 user:*~"},
    {"geom", "plugin", T::unread, "*", kPlugin, ""},
    {"body default", "site", T::site, "", "",
     "name class type:sphere|capsule|ellipsoid|cylinder|box~ group:i~ @place fromto:6 size:1-3~ material~ "
     "rgba:4~ "
     "user:*~"},
    {"body default", "camera", T::camera, "", "cameras", "@camera"},
    {"body default", "light", T::light, "", "lights", "@light"},
    {"body", "plugin", T::unread, "*", kPlugin, ""},
    {"body", "composite", T::unread, "*", kSoft, ""},
    {"body", "flexcomp", T::unread, "*", kSoft, ""},
    {"mujoco", "deformable", T::unread, "*", kSoft, ""},
    {"mujoco", "contact", T::section, "contact", "", ""},
    {"contact default", "pair", T::pair, "", "",
     "name class geom1 geom2 condim:i friction:1-5 solref:1-2~ solreffriction:1-2~ solimp:1-5~ gap:1~ "
     "margin:1 "
     "adhesion:1~"},
    {"contact", "exclude", T::exclude, "", "", "name body1 body2"},
    {"mujoco", "equality", T::section, "equality", "", ""},
    {"equality", "connect", T::connect, "", "", "name class active:b body1 body2 anchor:3 site1 site2 @soft"},
    {"equality", "weld", T::weld, "", "",
     "name class active:b body1 body2 anchor:3 relpose:7 torquescale:1~ site1 site2 @soft"},
    {"equality", "joint", T::joint_equality, "", "", "name class active:b joint1 joint2 polycoef:1-5 @soft"},
    {"equality", "tendon", T::tendon_equality, "", "",
     "name class active:b tendon1 tendon2 polycoef:1-5 @soft"},
    {"equality", "flex", T::unread, "*", kSoft, ""},
    {"equality", "flexvert", T::unread, "*", kSoft, ""},
    {"equality", "flexstrain", T::unread, "*", kSoft, ""},
    {"equality", "distance", T::unread, "*", "distances kept, which MuJoCo has no more", ""},
    {"mujoco", "tendon", T::section, "tendon", "", ""},
    {"tendon", "spatial", T::spatial_tendon, "spatial", "",
     "name class limited:a range:2 stiffness:1-3 damping:1-3 frictionloss:1 springlength:1-2 armature:1 "
     "width:1~ "
     "material~ rgba:4~ actuatorfrclimited:a actuatorfrcrange:2 @soft_limit"},
    {"spatial", "site", T::tendon_site, "", "", "site"},
    {"spatial", "geom", T::tendon_geom, "", "", "geom sidesite"},
    {"spatial", "pulley", T::tendon_pulley, "", "", "divisor:1"},
    {"tendon", "fixed", T::fixed_tendon, "fixed", "",
     "name class limited:a range:2 stiffness:1-3 damping:1-3 frictionloss:1 springlength:1-2 armature:1 "
     "actuatorfrclimited:a actuatorfrcrange:2 @soft_limit"},
    {"fixed", "joint", T::tendon_joint, "", "", "joint coef:1"},
    {"mujoco", "actuator", T::section, "actuator", "", ""},
    {"actuator default", "general", T::general, "", "",
     "@drive @target body @act dyntype:none|integrator|filter|filterexact|muscle|user|dcmotor|pid "
     "gaintype:fixed|affine|muscle|user|dcmotor|pid|so3 biastype:none|affine|muscle|user|dcmotor|pid|so3 "
     "dynprm:1-10 "
     "gainprm:1-10 biasprm:1-10 input~ ffrange:2~ velrange:2~"},
    {"actuator default", "motor", T::motor, "", "", "@drive @target"},
    {"actuator default", "position", T::position, "", "", "@drive @target @servo timeconst:1"},
    {"actuator default", "velocity", T::velocity, "", "", "@drive @target kv:1"},
    {"actuator default", "intvelocity", T::intvelocity, "", "", "@drive @target @servo @act"},
    {"actuator default", "orientation", T::orientation, "", "",
     "@drive @target kp:1~ kv:1~ dampratio:1~ input~"},
    {"actuator default", "pid", T::pid, "", "",
     "@drive @target @servo ki:1~ imax:1~ slewmax:1~ input~ posrange:2~ velrange:2~ ffrange:2~"},
    {"actuator default", "damper", T::damper, "", "", "@drive @target kv:1"},
    {"actuator default", "cylinder", T::cylinder, "", "",
     "@drive @target timeconst:1 area:1 diameter:1 bias:3"},
    {"actuator default", "muscle", T::muscle, "", "",
     "@drive @target timeconst:2 tausmooth:1 range:2 force:1 scale:1 lmin:1 lmax:1 vmax:1 fpmax:1 fvmax:1"},
    {"actuator default", "adhesion", T::adhesion, "", "", "@drive body gain:1~"},
    {"actuator default", "dcmotor", T::dcmotor, "", "",
     "@drive @target motorconst:1-2~ resistance:1~ nominal:3~ saturation:*~ inductance:*~ cogging:*~ "
     "controller:*~ "
     "thermal:*~ lugre:*~ input~"},
    {"actuator", "plugin", T::plugin_drive, "*", "", "@drive @target @act plugin instance dyntype dynprm:*~"},
    {"mujoco", "sensor", T::section, "sensor", "", ""},
    {"sensor", "touch", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "accelerometer", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "velocimeter", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "gyro", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "force", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "torque", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "magnetometer", T::sensor, "", kSensors, "@sensor site"},
    {"sensor", "camprojection", T::sensor, "", kSensors, "@sensor site camera"},
    {"sensor", "rangefinder", T::sensor, "", kSensors, "@sensor site camera data~"},
    {"sensor", "jointpos", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "jointvel", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "tendonpos", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "tendonvel", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "actuatorpos", T::sensor, "", kSensors, "@sensor actuator"},
    {"sensor", "actuatorvel", T::sensor, "", kSensors, "@sensor actuator"},
    {"sensor", "actuatorfrc", T::sensor, "", kSensors, "@sensor actuator"},
    {"sensor", "jointactuatorfrc", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "tendonactuatorfrc", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "ballquat", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "ballangvel", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "jointlimitpos", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "jointlimitvel", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "jointlimitfrc", T::sensor, "", kSensors, "@sensor joint"},
    {"sensor", "tendonlimitpos", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "tendonlimitvel", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "tendonlimitfrc", T::sensor, "", kSensors, "@sensor tendon"},
    {"sensor", "framepos", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "framequat", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "framexaxis", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "frameyaxis", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "framezaxis", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "framelinvel", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "frameangvel", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "framelinacc", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "frameangacc", T::sensor, "", kSensors, "@sensor @object"},
    {"sensor", "subtreecom", T::sensor, "", kSensors, "@sensor body"},
    {"sensor", "subtreelinvel", T::sensor, "", kSensors, "@sensor body"},
    {"sensor", "subtreeangmom", T::sensor, "", kSensors, "@sensor body"},
    {"sensor", "insidesite", T::sensor, "", kSensors, "@sensor @object site"},
    {"sensor", "distance", T::sensor, "", kSensors, "@sensor geom1 geom2 body1 body2"},
    {"sensor", "normal", T::sensor, "", kSensors, "@sensor geom1 geom2 body1 body2"},
    {"sensor", "fromto", T::sensor, "", kSensors, "@sensor geom1 geom2 body1 body2"},
    {"sensor", "contact", T::sensor, "", kSensors,
     "@sensor geom1 geom2 body1 body2 subtree1~ subtree2~ site num:i~ data~ reduce~"},
    {"sensor", "e_potential", T::sensor, "", kSensors, "@sensor"},
    {"sensor", "e_kinetic", T::sensor, "", kSensors, "@sensor"},
    {"sensor", "clock", T::sensor, "", kSensors, "@sensor"},
    {"sensor", "tactile", T::sensor, "", kSensors, "@sensor geom mesh~"},
    {"sensor", "user", T::sensor, "", kSensors, "@sensor @object datatype~ needstage~ dim:i~"},
    {"sensor", "plugin", T::unread, "*", kPlugin, ""},
    {"mujoco", "keyframe", T::section, "keyframe", "", ""},
    {"keyframe", "key", T::key, "", "", "name time:1 qpos:* qvel:* act:* ctrl:* mpos:*~ mquat:*~"},
};

}  // namespace

std::span<const MjcfRow> mjcf_rows() { return kRows; }
std::span<const MjcfGroup> mjcf_groups() { return kGroups; }

}  // namespace amble
