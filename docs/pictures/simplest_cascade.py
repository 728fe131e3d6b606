"""How the simplest walker's cycle doubles its period as the floor gets steeper."""

import amble


def picture():
    return amble.Walker("simplest").bifurcation_diagram("slope_deg", 0.5, 1.1, step=0.02)


if __name__ == "__main__":
    print(picture(), end="")
