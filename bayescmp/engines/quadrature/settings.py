"""How fine the grids are."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """Resolution of the quadrature; None takes the default for the number of data sets.

    Attributes
    ----------
    spacing : float or None
        Distance of two nodes of delta0 and of sigma0 in conditional standard deviations;
        1, for q <= 12 0.7: few data sets leave a posterior that is far from normal.
    nu_nodes : int
        Points of the Gauss rule in nu.
    refine : tuple of int
        Cells of the posterior grid to a cell of the quadrature in delta0 and in sigma0.
    centres : int
        Largest number of data sets whose means are all centres of the scan for the posterior;
        of more it takes three quarters of this many quantiles.
    tolerance : float
        Relative error of one row's integral.
    depth : float
        Nats below the maximum at which the grid may end.
    edge_mass : float
        Posterior mass at an edge of the grid from which on it is enlarged.
    enlargements : int
        How often at most.
    """

    spacing: float | None = None
    nu_nodes: int = 14
    refine: tuple[int, int] = (4, 4)
    centres: int = 20
    tolerance: float = 1e-5
    depth: float = 13.0
    edge_mass: float = 3e-6
    enlargements: int = 8

    @classmethod
    def quick(cls) -> Settings:
        """Settings for thousands of simulated problems: a third of the time, within 0.002.

        Of 80 simulated problems with 5 to 94 data sets one was off by 0.0018, the others by no
        more than 0.0012.
        """
        return cls(
            spacing=1.0,
            nu_nodes=8,
            refine=(3, 3),
            centres=12,
            tolerance=1e-3,
            depth=10.0,
            edge_mass=1e-4,
        )

    @classmethod
    def refined(cls) -> Settings:
        """Settings of a slow run against which the default is measured."""
        return cls(
            spacing=0.4,
            nu_nodes=24,
            refine=(8, 8),
            tolerance=1e-8,
            depth=22.0,
            edge_mass=1e-8,
            enlargements=16,
        )
