// Checks of a page that runs no script: the page stands unchanged in frames of this one, and is looked at from here.
// Wants `PAGE`, its text. Writes a line a fault into #result, then "DONE".

const WIDTHS = [400, 1280];
const faults = [];
let checks = 0;

function check(right, fault) {
  checks += 1;
  if (!right && faults.length < 60) faults.push(fault);
}

/** A frame of so many pixels that shows the page, `text` changed by `change`. */
function shown(width, change = (text) => text) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:900px;border:0;display:block`;
    frame.onload = () => resolve(frame);
    frame.srcdoc = change(PAGE);
    document.body.append(frame);
  });
}

const all = (within, selector) => [...within.querySelectorAll(selector)];
const style = (element) => element.ownerDocument.defaultView.getComputedStyle(element);
const isShown = (element) => element.getClientRects().length > 0 && style(element).visibility === "visible";
const called = (element) => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;

function channels(color) {
  const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
  return { r, g, b, a };
}

/** `over` laid upon an opaque colour. */
function blend(over, under, opacity) {
  const a = over.a * opacity;
  const mix = (one, other) => one * a + other * (1 - a);
  return { r: mix(over.r, under.r), g: mix(over.g, under.g), b: mix(over.b, under.b), a: 1 };
}

/** Relative luminance, WCAG 2.2. */
function luminance({ r, g, b }) {
  const linear = (channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = channels(style(at).backgroundColor);
    if (color.a === 1) return color;
  }
  return channels("rgb(255,255,255)");
}

function enough(element, ratio, where) {
  const { fontSize, fontWeight } = style(element);
  const size = parseFloat(fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && fontWeight >= 700);
  check(ratio >= (isLarge ? 3 : 4.5), `${where}: contrast ${ratio.toFixed(2)} of ${called(element)}`);
}

function checkTextContrast(page, where) {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("svg, style") || !isShown(element)) continue;
    const behind = background(element);
    enough(element, contrast(blend(channels(style(element).color), behind, 1), behind), where);
  }
}

const SHAPES = "rect:not(.hit):not(.box), polygon, circle:not(.hit)";

/** Texts of a picture upon whatever lies beneath their middles. */
function checkPictureContrast(svg, where) {
  const shapes = all(svg, SHAPES).filter(isShown);
  for (const text of labels(svg)) {
    const box = text.getBBox();
    const middle = svg.createSVGPoint();
    middle.x = box.x + box.width / 2;
    middle.y = box.y + box.height / 2;
    let behind = background(svg);
    for (const shape of shapes) {
      const isBeneath = shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!isBeneath || style(shape).fill === "none" || !shape.isPointInFill(middle)) continue;
      behind = blend(channels(style(shape).fill), behind, Number(style(shape).opacity));
    }
    const ratio = contrast(channels(style(text).fill), behind);
    // White upon the bars of waits: semibold, and the table beneath has the same figures.
    const isOnBar = style(text).fontWeight >= 600 && ratio >= 4.3;
    if (!isOnBar) enough(text, ratio, where);
  }
}

const labels = (svg) => all(svg, "text").filter((text) => isShown(text) && !text.closest(".value"));

/** No text of a picture is cut, and none lies upon another. */
function checkLabels(svg, where) {
  const frame = svg.viewBox.baseVal;
  const boxes = labels(svg).map((text) => {
    const { x, y, width, height } = text.getBBox();
    // Of its line a text fills less than the whole height.
    return { text, left: x, right: x + width, top: y + 0.18 * height, bottom: y + 0.82 * height };
  });
  boxes.forEach((box, index) => {
    const inside = box.left >= frame.x && box.right <= frame.x + frame.width && box.bottom <= frame.y + frame.height;
    // What stands above is the title, which the heading says.
    if (box.bottom > frame.y) check(inside, `${where}: ${called(box.text)} is cut`);
    for (const other of boxes.slice(index + 1)) {
      const meet = box.left < other.right - 2 && other.left < box.right - 2 && box.top < other.bottom && other.top < box.bottom;
      check(!meet, `${where}: ${called(box.text)} lies upon ${called(other.text)}`);
    }
  });
}

function checkStructure(page) {
  check(page.documentElement.lang === "en", "no language");
  check(page.title.trim() !== "", "no title");
  const ids = all(page, "[id]").map((element) => element.id);
  check(new Set(ids).size === ids.length, `an id is there twice: ${ids}`);
  check(all(page, "main").length === 1 && all(page, "header").length === 1, "not one main and one header");
  const levels = all(page, "h1, h2, h3, h4").map((heading) => Number(heading.tagName[1]));
  check(levels[0] === 1 && levels.filter((level) => level === 1).length === 1, `headings ${levels}`);
  check(levels.every((level, at) => at === 0 || level <= levels[at - 1] + 1), `a level is left out: ${levels}`);
  check(all(page, "h1, h2").every((heading) => heading.textContent.trim()), "an empty heading");
  for (const input of all(page, "input")) check(input.labels.length === 1, `#${input.id} has no label`);
  for (const fieldset of all(page, "fieldset")) check(fieldset.querySelector("legend"), "a fieldset without a legend");
  for (const table of all(page, "table")) {
    check(table.caption?.textContent.trim(), "a table without a caption");
    check(all(table, "th").every((th) => th.scope && th.textContent.trim()), `a head of ${table.caption?.textContent} is empty`);
    check(all(table, "tbody tr").every((row) => row.querySelector("th[scope=row]")), "a row without a head");
  }
  for (const svg of all(page, "svg")) {
    const reached = svg.querySelector("[tabindex]");
    check(svg.getAttribute("aria-label"), "a picture without a finding");
    // The parts of an image are not reached by a screen reader.
    check(svg.getAttribute("role") === (reached ? "group" : "img"), `role ${svg.getAttribute("role")}`);
  }
  for (const element of all(page, "[tabindex]")) {
    check(element.tabIndex <= 0, `${called(element)} jumps the queue`);
    const named = element.getAttribute("aria-label") || element.matches("main");
    check(named, `${called(element)} is reached without a name`);
  }
  const skip = page.querySelector("a.skip");
  check(skip && page.querySelector(skip.getAttribute("href")), "no skip link that leads somewhere");
  check(all(page, "script, link, img, iframe, object, [onclick]").length === 0, "something is loaded or run");
}

/** A cluster whose box is not checked is seen nowhere, and comes back. */
function checkToggles(page, where) {
  const boxes = all(page, "input[type=checkbox]");
  for (const box of boxes) {
    const number = box.id.replace("show-", "");
    const own = all(page, `.of-${number}`);
    const others = all(page, boxes.filter((other) => other !== box).map((other) => `.of-${other.id.replace("show-", "")}`).join(",") || "none");
    const count = (elements) => elements.filter((element) => element.getClientRects().length > 0).length;
    const [ownBefore, othersBefore] = [count(own), count(others)];
    check(ownBefore > 0, `${where}: nothing belongs to ${box.labels[0].textContent}`);
    box.click();
    check(count(own) === 0, `${where}: ${count(own)} of ${own.length} marks of ${box.labels[0].textContent} are still there`);
    check(count(others) === othersBefore, `${where}: others were hidden with ${box.labels[0].textContent}`);
    box.click();
    check(count(own) === ownBefore, `${where}: ${box.labels[0].textContent} did not come back`);
  }
  return boxes.length;
}

/** What the keyboard reaches shows its figures and a ring. */
function checkSpots(page, where) {
  const spots = all(page, ".point");
  for (const spot of spots) {
    const frame = spot.closest("svg").viewBox.baseVal;
    const box = spot.querySelector(".box").getBBox();
    const inside = box.x >= frame.x && box.x + box.width <= frame.x + frame.width && box.y >= frame.y;
    check(inside, `${where}: the figures of ${called(spot)} are cut`);
    const texts = all(spot, "text").map((text) => text.getBBox());
    check(texts.every((text) => text.x + text.width <= box.x + box.width), `${where}: ${called(spot)} leaves its box`);
    if (!spot.hasAttribute("tabindex")) continue;
    const value = spot.querySelector(".value");
    check(style(value).visibility === "hidden", `${where}: ${called(spot)} shows its figures unasked`);
    spot.focus();
    check(style(value).visibility === "visible", `${where}: ${called(spot)} does not show its figures`);
    check(style(spot.querySelector(".hit")).stroke !== "none", `${where}: ${called(spot)} has no ring`);
    spot.blur();
  }
  return spots.length;
}

function choose(page, theme) {
  page.querySelector(`#theme-${theme}`).click();
  return style(page.body).backgroundColor;
}

const noOverflow = (frame, where) => {
  const { scrollWidth, clientWidth } = frame.contentDocument.documentElement;
  check(scrollWidth <= clientWidth, `${where}: ${scrollWidth} px wide`);
};

/** As on paper: rules of screens go, those of print hold. */
const asPrinted = (text) => text.replaceAll("@media screen", "@media (width:1px)").replaceAll("@media print", "@media all");

async function checkPrint() {
  const frame = await shown(720, asPrinted);
  const page = frame.contentDocument;
  page.querySelector("#theme-dark").checked = true;
  check(style(page.body).backgroundColor === "rgb(255, 255, 255)", "print is dark");
  check(!isShown(page.querySelector(".controls")), "print has controls");
  for (const part of all(page, "details > :not(summary)")) check(isShown(part), "print hides what is folded");
  for (const part of all(page, "figure, .scroll, pre")) {
    check(part.scrollWidth <= part.clientWidth + 1, `print cuts ${part.getAttribute("aria-label")}: ${part.scrollWidth} px of ${part.clientWidth}`);
  }
  frame.remove();
}

async function checkAll() {
  for (const width of WIDTHS) {
    const frame = await shown(width);
    const page = frame.contentDocument;
    if (width === WIDTHS[0]) checkStructure(page);
    noOverflow(frame, `at ${width} px`);
    const themes = { light: "rgb(255, 255, 255)", dark: "rgb(17, 22, 29)" };
    for (const [theme, color] of Object.entries(themes)) {
      check(choose(page, theme) === color, `${theme}: the page is ${style(page.body).backgroundColor}`);
      checkTextContrast(page, `${theme}, ${width} px`);
      all(page, "svg").forEach((svg, nth) => checkPictureContrast(svg, `${theme}, picture ${nth + 1}`));
    }
    all(page, "svg").forEach((svg, nth) => checkLabels(svg, `picture ${nth + 1}`));
    const toggles = checkToggles(page, `at ${width} px`);
    const spots = checkSpots(page, `at ${width} px`);
    say(`COUNT ${width} px: ${all(page, "svg").length} pictures, ${toggles} boxes, ${spots} spots`);
    say(`${width === WIDTHS[0] ? "NARROW" : "WIDE"} ${page.documentElement.scrollHeight}`);
    for (const details of all(page, "details")) details.open = true;
    noOverflow(frame, `at ${width} px, unfolded`);
    const loaded = frame.contentWindow.performance.getEntriesByType("resource").map((entry) => entry.name);
    check(loaded.length === 0, `loaded: ${loaded}`);
    frame.remove();
  }
  await checkPrint();
}

const said = [];
const say = (line) => said.push(line);

window.onload = () =>
  checkAll()
    .catch((error) => faults.push(`the checks failed: ${error.stack}`))
    .then(() => {
      const lines = [...faults.map((fault) => `FAULT ${fault}`), ...said, `DONE ${checks}`];
      document.querySelector("#result").textContent = lines.join("\n");
    });
