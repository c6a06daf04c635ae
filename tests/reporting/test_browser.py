"""The report opened in a real browser, as a person would use it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from strange_names import TASKS, strange_history

import ringfence as rf

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PHONE, TABLET, DESK = 390, 768, 1400
LONG = "a_name_of_a_parameter_that_is_quite_a_bit_longer_than_sixty_letters_{}"
PATIENCE = 300  # seconds, for a busy machine

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="no chromium on this machine; install it with: apt-get install chromium",
)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, timeout=1000 * PATIENCE
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report on the embedded history, and one whose names are everything but plain."""
    folder = tmp_path_factory.mktemp("reports")
    how = {"shape": "ellipsoid", "outliers": 0.1, "refit": True}
    rf.report(rf.example_history(), path=folder / "plain.html", **how)
    rf.report(strange_history(), path=folder / "strange.html", **how)
    rf.report(long_history(), LONG_SPACE, path=folder / "long.html", shape="ellipsoid", starts=2)
    return folder


CHOICES = [f"a choice with a long name, number {k} of fifty, to tell it apart" for k in range(50)]
LONG_SPACE = rf.Space(
    {
        LONG.format("rate"): rf.Float(1e-5, 1, log=True),
        LONG.format("units"): rf.Int(1, 4096, log=True),
        LONG.format("size"): rf.Categorical(CHOICES[:8], ordered=True),
        LONG.format("kind"): rf.Categorical(CHOICES),
    }
)


def long_history() -> rf.History:
    """Names of parameters, tasks and choices of sixty letters and more."""
    rng = np.random.default_rng(0)
    tasks, runs = 8, 12
    n = tasks * runs
    rate, units, size, kind = LONG_SPACE
    frame = pl.DataFrame(
        {
            "task": np.repeat(
                [f"the task of a {'very ' * 12}long name {k}" for k in range(8)], runs
            ),
            rate: 10 ** rng.uniform(-5, 0, n),
            units: rng.integers(1, 4096, n),
            size: rng.choice(CHOICES[:8], n),
            kind: rng.choice(CHOICES, n),
            "the_error_of_a_long_name_that_stands_on_every_label": rng.random(n),
        }
    )
    return rf.History.from_frame(
        frame, task="task", objective=frame.columns[-1], direction="minimize"
    )


@contextmanager
def opened(browser, path, *, width=DESK, **options):
    """The page once its charts are drawn; no error and no request may have come up by the end."""
    context = browser.new_context(viewport={"width": width, "height": 800}, **options)
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    errors, requests = [], []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert errors == []
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
    context.close()


@pytest.fixture(scope="module")
def strange(browser, pages):
    with opened(browser, pages / "strange.html") as page:
        yield page


@pytest.fixture(scope="module")
def desk(browser, pages):
    with opened(browser, pages / "plain.html") as page:
        yield page


def test_the_headline_the_tables_and_every_chart_are_there(desk):
    headline = desk.inner_text("h1")
    assert headline.startswith("In 10 trials the learned space reaches what the full space needs")
    assert desk.locator("table.sortable").count() == 2
    assert desk.locator("#tasks ~ .scroll tbody tr").count() == 20
    assert desk.inner_text(".verdict").lower() == "helps"
    assert "minimize 'error'" in desk.inner_text(".kicker")
    for chart in ("regret-wide", "pair-0", "pair-1", "pair-2", "solid-chart"):
        assert desk.locator(f"#{chart} use[data-spot]").count() >= 6, chart
    assert desk.locator("#regret-narrow").is_hidden()


def test_no_column_of_the_tasks_is_hidden_on_a_small_desk(browser, tmp_path):
    rng = np.random.default_rng(0)
    runs = pl.DataFrame(
        {"task": np.repeat([f"task-{k}" for k in range(8)], 12), "x": rng.random(96)}
    )
    flat = pl.when(pl.col("task") == "task-0").then(1.0)
    runs = runs.with_columns(error=flat.otherwise((pl.col("x") - 0.3) ** 2))
    path = rf.report(runs, path=tmp_path / "flat.html", starts=0)
    with opened(browser, path, width=1280) as page:
        frame = page.locator("#tasks ~ .scroll").first
        assert "not judged" in frame.inner_text()
        assert frame.evaluate("box => box.scrollWidth <= box.clientWidth")
        says = page.locator("#tasks ~ p").first.inner_text()
        assert "the same for every task" in says and "best and median run are equal" in says


def hover(page, chart: str, outside: bool = False) -> str:
    """The label beside the first mark of its kind."""
    mark = page.locator(f"#{chart} .{'cross' if outside else 'dot'}").first
    mark.scroll_into_view_if_needed()
    page.mouse.move(0, 0)
    page.locator("#tip").wait_for(state="hidden")  # that of the last mark
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#tip").wait_for()
    return page.inner_text("#tip")


def test_hovering_shows_the_task_and_its_value(desk):
    learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    shown = hover(desk, "pair-0")
    (task,) = [t for t in learned.tasks if t.name in shown and f"error {t.value:.4g}" in shown]
    assert not task.outside and "left outside" not in shown
    shown = hover(desk, "pair-0", outside=True)
    assert any(name in shown for name in learned.outliers) and "left outside" in shown
    assert "left outside" in hover(desk, "solid-chart", outside=True)
    assert hover(desk, "regret-wide").startswith("1 trial\nlearned space: regret ")


def test_a_finger_shows_the_label_too(browser, pages):
    with opened(browser, pages / "plain.html", width=PHONE, has_touch=True) as page:
        page.locator("#pair-0 .cross").first.tap()
        page.locator("#tip").wait_for()
        assert "left outside" in page.inner_text("#tip")
        box = page.locator("#tip").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE


def test_the_keyboard_reaches_every_control_and_first_the_way_past_them(browser, pages):
    with opened(browser, pages / "plain.html") as page:
        wanted = page.evaluate(
            """() => [...document.querySelectorAll("a[href], button, summary, [tabindex='0']")]
                .filter((e) => e.checkVisibility()).length"""
        )
        place = "[...document.querySelectorAll('*')].indexOf(document.activeElement)"
        page.keyboard.press("Tab")
        reached = {page.evaluate(place)}
        assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
        assert page.locator(".skip").bounding_box()["x"] >= 0
        for _ in range(wanted - 1):
            page.keyboard.press("Tab")
            reached.add(page.evaluate(place))
        assert wanted >= 20 and len(reached) == wanted
        page.locator(".skip").press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_headings_sort_by_enter(desk):
    table = desk.locator("#tasks ~ .scroll table")

    def column(place: int) -> list[str]:
        return table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()

    gains = [float(text) for text in column(2)]
    assert gains == sorted(gains)  # worst first
    assert table.locator("th").nth(1).get_attribute("aria-sort") == "ascending"
    for order, backwards in (("ascending", False), ("descending", True)):
        table.locator("th button").first.focus()
        desk.keyboard.press("Enter")
        assert table.locator("th").first.get_attribute("aria-sort") == order
        assert table.locator("[aria-sort]").count() == 1
        names = column(1)
        assert names == sorted(names, reverse=backwards)
    table.locator("th button").nth(3).focus()
    desk.keyboard.press("Enter")
    numbers = [float(text) for text in column(4)]
    assert numbers == sorted(numbers)


def view(page) -> tuple[float, float]:
    solid = page.locator("#solid-chart")
    return tuple(float(solid.get_attribute(f"data-{name}")) for name in ("around", "up"))


def test_the_solid_turns_by_buttons_and_by_dragging(desk):
    before = view(desk)
    desk.get_by_role("button", name="Turn left").press("Enter")
    assert view(desk)[0] != before[0] and view(desk)[1] == before[1]
    desk.get_by_role("button", name="Turn right").press("Enter")
    assert view(desk) == pytest.approx(before)
    desk.get_by_role("button", name="Turn up").press("Enter")
    assert view(desk)[1] > before[1]
    desk.locator("#solid-chart").scroll_into_view_if_needed()
    box = desk.locator("#solid-chart").bounding_box()
    desk.mouse.move(box["x"] + 200, box["y"] + 200)
    desk.mouse.down()
    desk.mouse.move(box["x"] + 260, box["y"] + 200)
    desk.mouse.up()
    assert view(desk)[0] == pytest.approx(before[0] - 60 / 120, abs=0.01)


def test_the_surface_has_no_holes_from_any_side(desk):
    """Of a closed surface, what faces the eye covers its outline once: the areas add up to that of
    the convex hull. The embedded history's ellipsoid reaches beyond the cube."""
    from scipy.spatial import ConvexHull

    for turn in ("left", "up", "left", "left", "up"):
        desk.get_by_role("button", name=f"Turn {turn}").press("Enter")
        paths = desk.evaluate(
            """() => [...document.querySelectorAll("#solid-chart .surface path")].map((path) =>
                path.getAttribute("d").slice(1, -1).split("L")
                    .map((point) => point.split(" ").map(Number)))"""
        )
        x, y = np.array(paths).transpose(2, 1, 0)
        areas = ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) / 2
        hull = ConvexHull(np.array(paths).reshape(-1, 2)).volume  # in a plane, the area
        assert np.abs(areas).sum() == pytest.approx(hull, rel=0.02)


@pytest.mark.parametrize("width", [PHONE, TABLET, DESK])
@pytest.mark.parametrize("name", ["plain", "strange", "long"])
def test_nothing_is_cut_or_collides(browser, pages, name, width):
    with opened(browser, pages / f"{name}.html", width=width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.wait_for_timeout(50)  # hints follow
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for chart in page.locator("svg.chart:visible").all():
            drawn = chart.bounding_box()
            assert drawn["x"] >= 0 and drawn["x"] + drawn["width"] <= width
            labels = chart.evaluate(
                """(svg) => [...svg.querySelectorAll("text")].map((text) => {
                    const { left, right, top, bottom } = text.getBoundingClientRect();
                    return { text: text.textContent, left, right, top, bottom }; })"""
            )
            for label in labels:
                assert label["left"] >= drawn["x"] - 1, label
                assert label["right"] <= drawn["x"] + drawn["width"] + 1, label
            for one, other in combinations(labels, 2):
                apart = (
                    one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                    or one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
                )  # fmt: skip  # above and below its letters a box has room
                assert apart, (one, other)
        for frame in page.locator(".scroll:visible").all():
            hides = frame.evaluate("(f) => f.scrollWidth > f.clientWidth + 1")
            room = frame.evaluate("(f) => f.parentElement.clientWidth - f.offsetWidth")
            hint = frame.locator("xpath=following-sibling::p[1]")
            assert hint.is_visible() or not hides
            assert not hides or "scroll sideways" in hint.inner_text()
            assert not hides or room <= 1  # no column is cut while space is left


def test_on_a_phone_the_learned_ranges_come_first(browser, pages):
    with opened(browser, pages / "plain.html", width=PHONE) as page:
        assert page.locator("main section").first.locator("h2").inner_text() == "Learned ranges"
        frame = page.locator(".cards")
        assert frame.evaluate("(f) => f.scrollWidth <= f.clientWidth")
        for card in frame.locator("tbody tr").all():
            shown = [cell.bounding_box() for cell in card.locator("th, td").all()[:2]]
            name, learned = shown
            assert learned["y"] > name["y"] and learned["x"] + learned["width"] <= PHONE
        learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
        low, high = learned.bounds["C"]
        texts = frame.locator(".learned-range").all_inner_texts()
        assert f"{low:.4g} … {high:.4g}" in texts


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("script", [True, False])
def test_the_contents_lead_to_every_section(browser, pages, width, script):
    """At a desk they stay in sight, on a phone they are folded; neither needs JavaScript."""
    with opened(browser, pages / "plain.html", width=width, java_script_enabled=script) as page:
        folded, beside = page.locator("#folded"), page.locator("#contents")
        assert folded.is_visible() == (width == PHONE) and beside.is_visible() == (width == DESK)
        headings = page.locator("main h2").all()
        assert len(headings) >= 10
        for heading in headings:
            if width == PHONE:
                folded.locator("summary").click()
            place = folded if width == PHONE else beside
            place.get_by_role("link", name=heading.inner_text(), exact=True).click()
            box = heading.bounding_box()
            assert 0 <= box["y"] < 800, heading.inner_text()
            if width == DESK:
                assert beside.bounding_box()["y"] >= 0
            elif not script:
                folded.locator("summary").click()


def test_without_javascript_charts_and_tables_are_there(browser, pages):
    with opened(browser, pages / "plain.html", java_script_enabled=False) as page:
        assert page.locator("#pair-0 svg.chart").is_visible()
        assert page.locator("#regret-wide svg.chart").is_visible()
        assert page.locator("#theme").is_hidden()
        assert "needs JavaScript" in page.inner_text("main")


def test_programs_are_copied_and_the_learned_space_is_saved(browser, pages, tmp_path):
    with opened(
        browser, pages / "plain.html", permissions=["clipboard-read", "clipboard-write"]
    ) as page:
        page.get_by_role("button", name="Copy: ringfence").press("Enter")
        page.get_by_text("Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert "rf.minimize(objective, learned" in copied
        with page.expect_download() as download:
            page.get_by_role("link", name="Save learned.json").click()
        download.value.save_as(tmp_path / download.value.suggested_filename)
    learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    assert rf.load(tmp_path / "learned.json") == learned


def ground(page) -> tuple[str, str]:
    """The colors behind the page and behind a chart."""
    return page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector("#pair-0 .dot")).stroke]"""
    )


def test_dark_follows_the_system_and_the_button_and_print_is_light(browser, pages):
    light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 26)"
    with opened(browser, pages / "plain.html", color_scheme="dark") as page:
        assert ground(page) == [dark, dark]
        page.get_by_role("button", name="Light colors").press("Enter")
        assert ground(page) == [light, light]
        page.get_by_role("button", name="Dark colors").press("Enter")
        assert ground(page) == [dark, dark]
        page.emulate_media(color_scheme="light")
        page.get_by_role("button", name="Dark colors").wait_for()
        assert ground(page) == [light, light]
        page.emulate_media(media="print", color_scheme="dark")
        page.locator("#theme", has_text="Light colors").wait_for(state="attached")
        assert ground(page) == [light, light]
        assert page.locator("#theme").is_hidden()
        frame = page.locator("#tasks ~ .scroll")
        assert frame.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")  # the whole table


def test_strange_names_show_as_text(strange):
    names = strange.locator("#tasks ~ .scroll tbody th").all_inner_texts()
    assert {TASKS[0], TASKS[1], TASKS[2], TASKS[3], TASKS[4]} <= set(names)
    titles = strange.locator("#pairs ~ .grid .title").all_text_contents()
    assert {"<script>alert(3)</script> →", "↑ '\"&lt;</style>", "%{y}<b>rate</b> →"} <= set(titles)
    outside = hover(strange, "pair-0", outside=True)
    assert "<script>alert(1)</script>" in outside and "err<or>" in outside
