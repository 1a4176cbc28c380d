"use strict";
// The page asks the API again every few seconds and shows what it says. All text is set as text, never as markup.
const order = ["joined", "joining", "draining", "warm", "booted", "building", "starting", "requested", "planned",
  "stopping", "stopped", "deleting", "degraded", "orphaned", "stranded", "lost", "failed"];
const el = (id) => document.getElementById(id);

function cell(row, value, kind) {
  const td = document.createElement(kind || "td");
  td.textContent = value === undefined || value === null ? "" : String(value);
  row.append(td);
}

// fill shows rows; if asks is set, the first cell of each is a link that explains it.
function fill(table, rows, asks) {
  const body = table.querySelector("tbody");
  body.replaceChildren(...rows.map((values) => {
    const row = document.createElement("tr");
    values.forEach((value, i) => cell(row, i === 0 && asks ? "" : value, i === 0 ? "th" : "td"));
    if (asks) {
      const link = document.createElement("a");
      link.href = "#" + encodeURIComponent(values[0]);
      link.textContent = values[0];
      row.firstChild.append(link);
    }
    return row;
  }));
}

function list(parent, texts) {
  parent.replaceChildren(...texts.map((text) => {
    const li = document.createElement("li");
    li.textContent = text;
    return li;
  }));
}

function ago(seconds) {
  if (seconds < 0) return "never";
  if (seconds < 120) return Math.round(seconds) + " s";
  if (seconds < 7200) return Math.round(seconds / 60) + " min";
  return (seconds / 3600).toFixed(1) + " h";
}

function showStatus(s) {
  const d = s.decision;
  document.title = s.pool + " · elastic pool";
  el("title").textContent = s.pool;
  const now = Date.parse(s.now);
  const all = (s.vms || []).length;
  el("state").textContent = all + " VMs · cycle " + s.cycles + " took " + s.cycle_time_s.toFixed(2) + " s · " +
    (s.dry_run ? "dry run · " : "") + new Date(now).toLocaleTimeString() + (s.error ? " · " + s.error : "");
  const doubts = (d.frozen || []).map((why) => "nothing is shrunk: " + why)
    .concat((d.blind || []).map((why) => "nothing is grown: " + why));
  el("doubts").hidden = doubts.length === 0;
  list(el("doubts").querySelector("ul"), doubts);
  fill(el("queues"), (d.queues || []).map((q) => [q.name, q.waiting_jobs, q.running_jobs, q.held_jobs || 0, q.wanted, q.target,
    q.serving, q.busy, q.coming, q.lower + "–" + (q.upper < 0 ? "∞" : q.upper), (100 * q.share).toFixed(1) + " %", q.why]), true);
  el("unmet").hidden = !(d.unmet || []).length;
  list(el("unmet").querySelector("ul"), (d.unmet || []).map((u) => u.jobs + " of " + u.queue + (u.example ? " (such as " + u.example + ")" : "") + ": " + u.reason));
  fill(el("classes"), (d.classes || []).map((c) => [c.name, c.cloud,
    order.filter((state) => c.states[state]).map((state) => c.states[state] + " " + state).join(", "),
    c.in_flight + " of " + c.ramp, c.buffer, c.off || ""]), true);
  el("orders").hidden = !(s.orders || []).length;
  list(el("orders").querySelector("ul"), (s.orders || []).map((o) => [o.kind, o.vm, o.class, o.queue, o.cloud].filter(Boolean).join(" ") +
    (o.by ? ", by " + o.by : "") + (o.why ? ": " + o.why : "")));
  list(el("breakers"), (s.breakers || []).filter((b) => b.state !== "closed").map((b) =>
    "circuit breaker of cloud " + b.cloud + " is " + b.state + ": " + (b.reason || "")));
  fill(el("sensors"), (s.sensors || []).map((sensor) => [sensor.name, ago(sensor.age_s), sensor.error || ""]));
  fill(el("vms"), (s.vms || []).slice(0, 500).map((vm) => [vm.id, vm.class, vm.queue || "–", vm.state,
    ago((now - Date.parse(vm.since)) / 1000), (vm.jobs || []).length, vm.host || "", vm.why || ""]), true);
  const actions = d.actions || [];
  list(el("actions"), actions.length ? actions.map((a) => a.kind + " " + a.vm + (a.queue ? " for " + a.queue : "") + ": " + a.reason) : ["none"]);
}

function showHistory(points) {
  const chart = el("chart");
  const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const states = order.filter((state) => points.some((p) => p.states[state]));
  const top = Math.max(1, ...points.map((p) => Object.values(p.states).reduce((a, b) => a + b, 0)));
  const x = (i) => 900 * i / Math.max(points.length - 1, 1);
  const y = (n) => 215 - 210 * n / top;
  const below = points.map(() => 0);
  chart.replaceChildren(...states.map((state) => {
    const lower = below.map((n, i) => x(i).toFixed(1) + "," + y(n).toFixed(1)).reverse();
    points.forEach((p, i) => { below[i] += p.states[state] || 0; });
    const upper = below.map((n, i) => x(i).toFixed(1) + "," + y(n).toFixed(1));
    const area = svg("polygon");
    area.setAttribute("points", upper.concat(lower).join(" "));
    area.setAttribute("class", state);
    return area;
  }));
  el("legend").replaceChildren(...states.map((state) => {
    const item = document.createElement("span");
    const box = document.createElement("i");
    box.className = state;
    item.append(box, state);
    return item;
  }), document.createTextNode(points.length ? "at most " + top + ", since " + new Date(points[0].at).toLocaleTimeString() : "nothing yet"));
}

async function ask(path) {
  const answer = await fetch(path);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.title || answer.status);
  return value;
}

async function refresh() {
  try {
    showStatus(await ask("api/status"));
    showHistory(await ask("api/history"));
    document.body.dataset.ready = "yes";
  } catch (error) {
    el("state").textContent = "no answer: " + error.message;
  }
  setTimeout(refresh, 3000);
}

// explain asks why something is as it is: what the address names behind #.
async function explain() {
  const what = decodeURIComponent(location.hash.slice(1));
  if (!what) return;
  el("ask").elements.what.value = what;
  try {
    list(el("answer"), (await ask("api/explain?what=" + encodeURIComponent(what))).lines);
  } catch (error) {
    list(el("answer"), [error.message]);
  }
}

el("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const hash = "#" + encodeURIComponent(el("ask").elements.what.value);
  if (location.hash === hash) explain();
  else location.hash = hash;
});
window.addEventListener("hashchange", explain);

refresh();
explain();
