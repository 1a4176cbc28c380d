"use strict";

const every = 1000; // milliseconds
const shown = 200; // rows of a table

// fill writes a table: columns are [heading, function of a row].
function fill(name, rows, columns, total) {
  const head = document.createElement("tr");
  for (const [heading] of columns) {
    head.appendChild(document.createElement("th")).textContent = heading;
  }
  const lines = rows.map((row) => {
    const line = document.createElement("tr");
    for (const [, value] of columns) {
      const text = value(row);
      line.appendChild(document.createElement("td")).textContent = text === null || text === undefined || text === "" ? "–" : text;
    }
    return line;
  });
  document.getElementById(name).replaceChildren(head, ...lines);
  document.getElementById(name + "-count").textContent = rows.length < total ? `(the last ${rows.length} of ${total})` : `(${total})`;
}

async function get(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return answer;
}

async function lines(path) {
  const text = await (await get(path)).text();
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

async function renew() {
  const [arqs, devices, events, faults] = await Promise.all([
    get(`arqs?last=${shown}`).then((a) => a.json()),
    get("devices").then((a) => a.json()),
    lines("events"),
    get("faults").then((a) => a.json()),
  ]);
  fill("arqs", arqs.arqs, [
    ["state", (a) => a.state], ["request", (a) => a.uuid], ["profile", (a) => a.device_profile_name], ["group", (a) => a.device_profile_group_id],
    ["host", (a) => a.hostname], ["instance", (a) => a.instance_uuid], ["handle", (a) => a.attach_handle_type], ["scope", (a) => a.scope],
  ], arqs.total);
  fill("devices", devices.devices.slice(0, shown), [
    ["host", (d) => d.host], ["type", (d) => d.type], ["address", (d) => d.address],
    ["condition", (d) => ["disabled", "broken", "vanished"].filter((word) => d[word]).join(", ") || "good"],
    ["handles in use", (d) => {
      const handles = d.deployables.flatMap((p) => p.handles);
      return `${handles.filter((h) => h.in_use).length} of ${handles.length}`;
    }],
    ["loaded", (d) => d.deployables.map((p) => p.bitstream_id).filter((id) => id).join(", ")],
  ], devices.devices.length);
  fill("events", events.slice(-shown).reverse(), [
    ["at", (e) => e.started], ["event", (e) => e.event.name], ["status", (e) => e.event.status], ["request", (e) => e.event.tag],
    ["instance", (e) => e.event.server_uuid], ["Nova said", (e) => (e.event.dropped ? "dropped" : e.error || e.status)],
  ], events.length);
  fill("faults", faults.faults.slice(0, shown), [
    ["name", (f) => f.name], ["rule", (f) => JSON.stringify(f)], ["matches", (f) => f.matches], ["hits", (f) => f.hits],
  ], faults.faults.length);
}

async function live() {
  const sign = document.getElementById("live");
  try {
    await renew();
    sign.textContent = "live";
    sign.className = "";
  } catch (error) {
    sign.textContent = `no answer: ${error.message}`;
    sign.className = "lost";
  }
  setTimeout(live, every);
}

live();
