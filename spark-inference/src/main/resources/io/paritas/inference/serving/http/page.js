/* SPDX-License-Identifier: Apache-2.0 */
"use strict";

const EVERY_MS = 1000;
const PATIENCE_MS = 5000;
const RECENT_S = 60; // of the numbers
const POINT_S = 5; // of a point of the chart
const CHART_S = 120;
const OUTCOMES = ["predicted", "reconstructed", "approximated", "unavailable"];
const PERCENTILES = [["p50", "p50", 0.5], ["p99", "p99", 0.99], ["p999", "p99.9", 0.999]];
const KEY = "paritas-token";
const NOT_THE_TOKEN = "That is not the token of this server.";

const id = name => document.getElementById(name);
const histories = new Map(); // the server's reports of each version with their times, the oldest first

function element(tag, classes, ...children) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

function drawn(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const whole = number => number.toLocaleString("en");

function time(seconds) {
  if (seconds === null) return "–";
  if (seconds === Infinity) return "> 25 s";
  return seconds >= 1 ? seconds.toPrecision(3) + " s" : (seconds * 1000).toPrecision(3) + " ms";
}

function share(part, all) {
  if (all === 0) return "–";
  const percent = 100 * part / all;
  return (percent > 0 && percent < 0.1 ? "< 0.1" : percent.toFixed(1)) + " %";
}

/* The counts between two reports of the server, or up to the later one where there is no earlier one. */
function between(from, to) {
  const counts = {};
  for (const outcome of OUTCOMES) {
    const before = from && from.model.latencies[outcome];
    counts[outcome] = to.model.latencies[outcome].map((count, bucket) => count - (before ? before[bucket] : 0));
  }
  return counts;
}

const sum = numbers => numbers.reduce((a, b) => a + b, 0);

/* The bound that this share of the answers is below; null without answers. */
function percentile(counts, bounds, wanted) {
  const answered = bounds.map((_, bucket) => bucket).concat(bounds.length)
      .map(bucket => sum(OUTCOMES.slice(0, 3).map(outcome => counts[outcome][bucket])));
  const all = sum(answered);
  if (all === 0) return null;
  let below = 0;
  for (let bucket = 0; bucket < bounds.length; bucket++) {
    below += answered[bucket];
    if (below >= wanted * all) return bounds[bucket];
  }
  return Infinity;
}

/* The latest report of at least this age; undefined if there is none. */
function before(history, seconds) {
  const end = history[history.length - 1].at - seconds * 1000 + EVERY_MS / 2;
  return history.findLast(entry => entry.at <= end);
}

function remember(model, bounds, at) {
  const key = model.name + "/" + model.version;
  let history = histories.get(key) || [];
  const last = history[history.length - 1];
  const started = last && OUTCOMES.some(outcome => sum(last.model.latencies[outcome]) > sum(model.latencies[outcome]));
  if (started) history = []; // another server
  history.push({at, model});
  const entry = history[history.length - 1];
  const former = before(history, POINT_S) || history[0];
  const counts = former === entry ? null : between(former, entry);
  entry.percentiles = PERCENTILES.map(([, , wanted]) => counts && percentile(counts, bounds, wanted));
  histories.set(key, history.filter(each => at - each.at <= (CHART_S + POINT_S) * 1000));
  return histories.get(key);
}

function title(model) {
  const line = element("div", "title", element("h2", "", model.name + ", version " + model.version));
  line.append(element("span", "policy", model.policy));
  if (model.current) line.append(element("span", "badge", "current"));
  if (model.draining) line.append(element("span", "badge", "takes no more queries"));
  line.append(model.ready ? element("span", "badge good", "ready") : element("span", "badge bad", "not ready"));
  return line;
}

function tiles(model, recent, seconds, bounds) {
  const answers = sum(OUTCOMES.map(outcome => sum(recent[outcome])));
  const list = element("dl", "tiles");
  const tile = (classes, name, value) =>
      list.append(element("div", classes, element("dt", "", name), element("dd", "", value)));
  for (const [classes, name, wanted] of PERCENTILES) tile(classes, name, time(percentile(recent, bounds, wanted)));
  tile("rate", "queries / s", seconds === null ? "–" : (answers / seconds).toFixed(answers < 10 * seconds ? 1 : 0));
  tile("unanswered", "unanswered", whole(model.unanswered));
  tile("rejected", "rejected", whole(model.events.rejected));
  return list;
}

function shares(model, recent) {
  const all = sum(OUTCOMES.map(outcome => sum(recent[outcome])));
  const bar = element("div", "bar");
  bar.setAttribute("aria-hidden", "true");
  const rows = element("tbody");
  let total = 0;
  for (const outcome of OUTCOMES) {
    const count = sum(recent[outcome]);
    const ever = sum(model.latencies[outcome]);
    total += ever;
    const part = element("span", outcome);
    part.style.width = (all === 0 ? 0 : 100 * count / all) + "%";
    bar.append(part);
    const name = element("th", "key", outcome);
    name.scope = "row";
    rows.append(element("tr", outcome, name, element("td", "number share", share(count, all)),
        element("td", "number ever", whole(ever))));
  }
  const made = element("div", "shares", element("h3", "", "How replies were obtained"), bar);
  made.append(table("", ["", "now", "since start"], rows, [1, 2]));
  return made;
}

function table(classes, names, rows, numbers) {
  const head = element("tr");
  names.forEach((name, column) => {
    const cell = element("th", numbers.includes(column) ? "number" : "", name);
    cell.scope = "col";
    head.append(cell);
  });
  return element("table", classes, element("thead", "", head), rows);
}

function queues(model) {
  const rows = element("tbody");
  for (const queue of model.queues) {
    const name = element("th", "", queue.role);
    name.scope = "row";
    rows.append(element("tr", "", name, element("td", "number", whole(queue.instances)),
        element("td", "number waiting", whole(queue.waiting))));
  }
  return element("div", "queues", element("h3", "", "Queues"),
      table("", ["model", "instances", "waiting"], rows, [1, 2]));
}

function instances(model) {
  const rows = element("tbody");
  for (const one of model.instances) {
    const name = element("th", "", one.id);
    name.scope = "row";
    rows.append(element("tr", one.state, name, element("td", "role", one.role), element("td", "where", one.where),
        element("td", "state", one.state), element("td", "number generation", String(one.generation))));
  }
  if (model.instances.length === 0) {
    const none = element("td", "", "No instance has been ready yet.");
    none.colSpan = 5;
    rows.append(element("tr", "", none));
  }
  return [element("h3", "", "Instances"),
    table("instances", ["instance", "model", "where", "state", "generation"], rows, [4])];
}

const HEIGHT = 190, LEFT = 62, RIGHT = 8, TOP = 10, BOTTOM = 24;

/* Latencies over time, on a logarithmic scale. */
function chart(history) {
  const width = Math.max(280, id("models").clientWidth - 40); // a unit is a pixel, so that text is text
  const end = history[history.length - 1].at;
  const points = history.filter(entry => entry.percentiles.some(value => value !== null && value !== Infinity));
  const values = points.flatMap(entry => entry.percentiles).filter(value => value !== null && value !== Infinity);
  const low = Math.floor(Math.log10(Math.min(0.001, ...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.01, ...values))));
  const x = at => LEFT + (width - LEFT - RIGHT) * (1 - (end - at) / (CHART_S * 1000));
  const y = value => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (Math.log10(value) - low) / (high - low));
  const svg = drawn("svg", {viewBox: `0 0 ${width} ${HEIGHT}`, role: "img"});
  const last = points[points.length - 1];
  svg.setAttribute("aria-label", "Latencies over the last two minutes" + (last
      ? ", now " + PERCENTILES.map(([, name], i) => name + " " + time(last.percentiles[i])).join(", ") : ": no answers"));
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power);
    svg.append(drawn("line", {class: "grid", x1: LEFT, x2: width - RIGHT, y1: at, y2: at}));
    svg.append(drawn("text", {x: LEFT - 8, y: at + 4, "text-anchor": "end"}, tick(power)));
  }
  for (let back = CHART_S; back >= 0; back -= width < 500 ? 60 : 30) {
    const anchor = back === 0 ? "end" : back === CHART_S ? "start" : "middle";
    svg.append(drawn("text", {x: x(end - back * 1000), y: HEIGHT - 6, "text-anchor": anchor},
        back === 0 ? "now" : back + " s ago"));
  }
  PERCENTILES.forEach(([classes], i) => svg.append(drawn("path", {class: classes, d: line(history, i, x, y)})));
  return element("div", "chart", element("h3", "", "Latencies"), svg);
}

const tick = power => power >= 0 ? 10 ** power + " s" : power >= -3 ? 10 ** (power + 3) + " ms" : 10 ** (power + 6) + " µs";

/* A line that has a gap where nothing was answered. */
function line(history, which, x, y) {
  let path = "", pen = false;
  for (const entry of history) {
    const value = entry.percentiles[which];
    const there = value !== null && value !== Infinity && x(entry.at) >= LEFT;
    if (there) path += (pen ? "L" : "M") + x(entry.at).toFixed(1) + " " + y(value).toFixed(1);
    pen = there;
  }
  return path;
}

function card(model, history, bounds) {
  const now = history[history.length - 1];
  const first = before(history, RECENT_S) || (history.length > POINT_S ? history[0] : undefined);
  const recent = between(first, now);
  const seconds = first ? (now.at - first.at) / 1000 : null;
  const section = element("section", "card", title(model), tiles(model, recent, seconds, bounds), chart(history),
      element("div", "halves", shares(model, recent), queues(model)), ...instances(model));
  section.dataset.model = model.name;
  section.dataset.version = model.version;
  const span = seconds === null ? "since the start of the server" : "of the last " + Math.round(seconds) + " s";
  section.append(element("p", "note", "Percentiles, rate and shares are " + span + "; a point of the chart is of "
      + POINT_S + " s. Percentiles are the upper bounds of buckets that grow by a quarter."));
  return section;
}

function show(status) {
  const at = Date.now();
  const cards = status.models.map(model => card(model, remember(model, status.bounds, at), status.bounds));
  const served = new Set(status.models.map(model => model.name + "/" + model.version));
  for (const key of histories.keys()) if (!served.has(key)) histories.delete(key);
  id("models").replaceChildren(...(cards.length > 0 ? cards : [element("p", "", "No model is served.")]));
}

/* Announces a text only when it changes, so that screen readers do not repeat it every second. */
function tell(state, text, trouble) {
  const connection = id("connection");
  if (connection.textContent !== text) connection.textContent = text;
  connection.className = state;
  id("models").classList.toggle("stale", state !== "live");
  if (id("trouble").textContent !== trouble) id("trouble").textContent = trouble;
  id("trouble").hidden = trouble === "";
}

function askForToken() {
  const tried = sessionStorage.getItem(KEY) !== null;
  sessionStorage.removeItem(KEY);
  if (id("login").hidden) {
    id("login").hidden = false;
    id("token").focus();
  }
  histories.clear();
  id("models").replaceChildren();
  tell("", "not logged in", tried ? NOT_THE_TOKEN : "");
}

let goneSince = null;

async function refresh() {
  const token = sessionStorage.getItem(KEY);
  let answer, status;
  try {
    answer = await fetch("v2/paritas/status", {
      headers: token === null ? {} : {Authorization: "Bearer " + token},
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 401) {
      askForToken();
      return false;
    }
    status = await answer.json();
    if (!answer.ok) throw new Error(status.error);
    id("login").hidden = true;
    show(status);
    goneSince = null;
    tell("live", "live", "");
  } catch {
    goneSince = goneSince || new Date();
    tell("gone", "server gone", why(answer, status) + ", since " + goneSince.toLocaleTimeString("en-GB")
        + ". What is shown is from before. It is asked again every second.");
  }
  return true;
}

function why(answer, status) {
  if (answer && !answer.ok) return "The server cannot tell: " + (status ? status.error : "HTTP " + answer.status);
  return status ? "What the server tells is of another version than this page: reload it" : "The server does not answer";
}

let runs = 0;

/* The last one that begins is the only one that goes on. */
async function loop() {
  const run = ++runs;
  while (run === runs && await refresh()) await new Promise(next => setTimeout(next, EVERY_MS));
}

id("login").addEventListener("submit", event => {
  event.preventDefault();
  const token = id("token").value.trim();
  id("token").value = "";
  if (!/^[!-~]+$/.test(token)) { // no header can have it
    tell("", "not logged in", NOT_THE_TOKEN);
    return;
  }
  sessionStorage.setItem(KEY, token);
  loop();
});
loop();
