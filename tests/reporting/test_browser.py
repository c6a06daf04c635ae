"""The report opened in a real browser, as a person would use it."""

from __future__ import annotations

import shutil
import time
from contextlib import contextmanager

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
WIDTHS = (360, 1280)
FITS = """(width) => document.documentElement.scrollWidth === width
    && [...document.querySelectorAll(".chart .main-svg")].every(
        (drawn) => drawn.getBoundingClientRect().right <= width)"""
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
    return folder


@contextmanager
def opened(browser, path, *, width=1280, script=None, **options):
    """The page once its charts are drawn; no error and no request may have come up by the end."""
    context = browser.new_context(viewport={"width": width, "height": 800}, **options)
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    errors, requests = [], []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: requests.append(request.url))
    if script:
        page.add_init_script(script)
    page.goto(path.as_uri())
    page.wait_for_selector("#regret-chart .main-svg", state="attached")
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
    for chart in ("regret-chart", "pair-0", "pair-1", "pair-2"):
        assert desk.locator(f"#{chart} .scatterlayer path.point").count() >= 2, chart
    assert desk.locator("#solid-chart canvas").count() >= 1
    assert desk.locator("#no-webgl").is_hidden()


def test_plotly_knows_every_attribute_of_every_chart(desk):
    """Plotly.validate lists what it would ignore."""
    unknown = desk.evaluate(
        """() => [...document.querySelectorAll(".chart")].flatMap((place) =>
            (Plotly.validate(place.data, place.layout) ?? []).map((found) => found.msg))"""
    )
    assert unknown == [], unknown


def hover(page, chart: str, outside: bool = False) -> str:
    """The label beside the first point of a trace."""
    layer = page.locator(f"#{chart} .scatterlayer .trace").nth(3 if outside else 2)
    point = layer.locator("path.point").first
    point.scroll_into_view_if_needed()
    label = page.locator(f"#{chart} .hoverlayer .hovertext")
    page.mouse.move(0, 0)
    label.first.wait_for(state="detached")  # that of the last point
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    label.first.wait_for()
    return label.first.text_content()


def test_hovering_shows_the_task_and_its_value(desk):
    learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    shown = hover(desk, "pair-0")
    (task,) = [t for t in learned.tasks if t.name in shown and f"error {t.value:.4g}" in shown]
    assert not task.outside and "left outside" not in shown
    shown = hover(desk, "pair-0", outside=True)
    assert any(name in shown for name in learned.outliers) and "left outside" in shown


def test_points_inside_and_outside_differ_by_more_than_color(desk):
    inside, outside = (
        desk.locator("#pair-0 .scatterlayer .trace").nth(place).locator("path.point").first
        for place in (2, 3)
    )
    assert inside.get_attribute("d") != outside.get_attribute("d")


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

    gains = [float(text) for text in column(4)]
    assert gains == sorted(gains)  # worst first
    assert table.locator("th").nth(3).get_attribute("aria-sort") == "ascending"
    for order, backwards in (("ascending", False), ("descending", True)):
        table.locator("th button").first.focus()
        desk.keyboard.press("Enter")
        assert table.locator("th").first.get_attribute("aria-sort") == order
        assert table.locator("[aria-sort]").count() == 1
        names = column(1)
        assert names == sorted(names, reverse=backwards)
    table.locator("th button").nth(1).focus()
    desk.keyboard.press("Enter")
    numbers = [float(text) for text in column(2)]
    assert numbers == sorted(numbers)


def test_the_solid_turns_by_buttons(desk):
    def eye() -> dict[str, float]:
        return desk.evaluate("document.getElementById('solid-chart').layout.scene.camera.eye")

    before = eye()
    desk.get_by_role("button", name="Turn left").press("Enter")
    assert eye()["z"] == pytest.approx(before["z"]) and eye()["x"] != before["x"]
    desk.get_by_role("button", name="Turn right").press("Enter")
    assert eye() == pytest.approx(before)
    desk.get_by_role("button", name="Turn up").press("Enter")
    assert eye()["z"] > before["z"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["desk", "strange"])
def test_the_page_never_scrolls_sideways(request, name, width):
    page = request.getfixturevalue(name)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(FITS, width) and time.monotonic() < deadline:
        page.wait_for_timeout(50)  # charts follow a moment later
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for chart in page.locator(".chart").all():
        drawn = chart.locator(".main-svg").first.bounding_box()
        assert drawn["x"] >= 0 and drawn["x"] + drawn["width"] <= width
    page.set_viewport_size({"width": 1280, "height": 800})


def ground(page) -> tuple[str, str]:
    """The colors behind the page and behind a chart."""
    return page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
            document.querySelector("#pair-0 .main-svg").style.background]"""
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
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert ground(page) == [light, light]
        assert page.locator("#theme").is_hidden()
        frame = page.locator("#tasks ~ .scroll")
        assert frame.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")  # the whole table


def test_strange_names_show_as_text(strange):
    names = strange.locator("#tasks ~ .scroll tbody th").all_inner_texts()
    assert {TASKS[0], TASKS[1], TASKS[2], TASKS[3], TASKS[4], "(blank)"} <= set(names)
    titles = strange.locator("#pairs ~ .grid .xtitle, #pairs ~ .grid .ytitle").all_text_contents()
    assert {"<script>alert(3…/script>", "'\"&lt;</style>", "%{y}<b>rate</b>"} <= set(titles)
    outside = hover(strange, "pair-0", outside=True)
    assert "<script>alert(1)</script>" in outside and "err<or>" in outside


def test_without_webgl_the_page_says_so(browser, pages):
    blind = """
        const original = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return /webgl/.test(kind) ? null : original.call(this, kind, ...rest);
        };"""
    with opened(browser, pages / "plain.html", script=blind) as page:
        assert page.locator("#no-webgl").is_visible()
        assert page.locator("#solid-chart").is_hidden() and page.locator("#turns").is_hidden()
        assert page.locator("#pair-2 path.point").count() >= 2
