// The page as a whole: signing in, the list of sessions, the session that is watched, and the
// connection to the server.
import { announce, idOf, number, show } from "./elements.js";
import { choose, focus, list } from "./list.js";
import { call, credentials, isLost, notAToken, pasted, patience, Retries, watch } from "./service.js";
import { SessionView } from "./session.js";

const interval = 2000;
const pageSize = 100;
/** Five times in a second: each change of a level costs a browser without GPU some 4 ms. */
const statsInterval = "0.2s";
/** As many events as the server keeps of a session. */
const replayedEvents = 1000;
const find = (id) => document.getElementById(id);
const [connection, lost, signIn] = [find("connection"), find("lost"), find("sign-in")];
/** The times between attempts to reach a server that was lost. */
const retries = new Retries();
let wanted = pageSize;
let turn = new AbortController();
let watching = null;
/** When the session that is watched was heard last. */
let heard = -Infinity;

start();

function start() {
  find("more").addEventListener("click", () => {
    wanted += pageSize;
    again();
  });
  signIn.addEventListener("submit", (event) => {
    event.preventDefault();
    credentials.token = pasted(find("token").value);
    find("token").value = "";
    again();
  });
  find("sign-out").addEventListener("click", () => {
    credentials.token = "";
    again();
  });
  window.addEventListener("hashchange", open);
  document.addEventListener("visibilitychange", () => again());
  // The colours of the graphs are those of the time at which they were drawn.
  matchMedia("(prefers-color-scheme: dark)").addEventListener(
    "change", () => find("session").view?.minute.draw());
  again();
}

/** Begins anew: the list after some milliseconds, and then the session that the address names. */
function again(delay = 0) {
  turn.abort();
  watching?.abort();
  watching = null;
  // A page that nobody sees asks the server for nothing.
  if (document.hidden) return;
  if (!credentials.canBeSent) {
    credentials.token = "";
    return askForToken(notAToken);
  }
  turn = new AbortController();
  poll(turn.signal, delay);
}

async function poll(signal, delay) {
  await pause(delay, signal);
  while (!signal.aborted) {
    try {
      const { sessions, isComplete, server } = await listed();
      if (signal.aborted) return;
      retries.succeeded();
      connected();
      list(sessions, isComplete);
      describeServer(server);
      if (isBack(sessions)) watching = null;
      if (!watching) open();
      await pause(interval, signal);
    } catch (error) {
      if (signal.aborted || refused(error)) return;
      // A browser with many windows lets the list wait for a free connection.
      if (!(isLost(error) && isHeard())) disconnected(error);
      await pause(retries.next(error), signal);
    }
  }
}

async function listed() {
  const sessions = [];
  let [pageToken, server] = ["", {}];
  do {
    const answer = await call("ListSessions", { pageSize, pageToken });
    sessions.push(...(answer.sessions ?? []));
    server = answer.server ?? {};
    pageToken = answer.nextPageToken ?? "";
  } while (pageToken && sessions.length < wanted);
  return { sessions, isComplete: !pageToken, server };
}

/** Shows the server's version and its load. */
function describeServer({ version, sessionsActive = 0, sessionsMax, capacityUsed = 0 }) {
  show(find("server"), version ? `${version} · ${sessionsActive} of ${sessionsMax} sessions · `
    + `${number(100 * capacityUsed)} % used` : "");
}

/** Returns what an address names. Nothing, if somebody wrote nonsense into it. */
function named(hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    return "";
  }
}

/** Whether the session of a view that is over is among these again: a new one with its id. */
function isBack(sessions) {
  const { view } = find("session");
  return watching && view?.isOver && sessions.some(({ name, createTime }) =>
    name === view.name && createTime !== view.session?.createTime);
}

/** Shows the session that the address names, or the list. */
function open() {
  const name = named(location.hash.slice(1));
  const isOpen = name.startsWith("sessions/");
  const [article, before] = [find("session"), find("session").dataset.name];
  if (isOpen && before === name && watching) return;
  watching?.abort();
  watching = null;
  document.body.classList.toggle("detail", isOpen);
  document.title = isOpen ? `${idOf(name)} – Anechoic` : "Anechoic";
  article.hidden = !isOpen;
  choose(isOpen ? name : "");
  if (!isOpen) {
    delete article.dataset.name;
    delete article.view;
    article.replaceChildren();
    if (before) focus(before);
    return;
  }
  if (find("sessions").hidden) return;
  watching = new AbortController();
  if (before !== name) {
    article.dataset.name = name;
    article.view = new SessionView(article, name);
    article.view.title.focus();
  }
  follow(article, watching.signal);
}

/** Shows the session of the article until it ends. */
async function follow(article, signal) {
  const refusals = new Retries();
  const { name } = article.dataset;
  while (!signal.aborted) {
    try {
      const { session } = await call("GetSession", { name });
      if (signal.aborted) return;
      const view = viewOf(session, article);
      const fromEventId = view.lastEvent !== undefined ? view.lastEvent + 1
        : Math.max(1, Number(session.lastEventId ?? 0) - replayedEvents + 1);
      await watch({ name, statsInterval, fromEventId }, (message) => {
        if (signal.aborted) return;
        refusals.succeeded();
        heard = performance.now();
        view.receive(message);
      }, signal);
      return view.end("The session has ended.");
    } catch (error) {
      if (signal.aborted) return;
      if (isLost(error)) {
        // The list looks for the server, and then opens the session again.
        disconnected(error);
        return again(retries.next(error));
      }
      if (error.code === "NOT_FOUND") return article.view.end("This session is not running.");
      if (refused(error)) return;
      // The server does not know the events that this view has seen.
      if (error.code === "INVALID_ARGUMENT") delete article.view.lastEvent;
      show(article.view.facts, error.message);
      await pause(refusals.next(error), signal);
    }
  }
}

/** Whether the server sends the session that is watched. */
function isHeard() {
  return watching !== null && performance.now() - heard < patience;
}

/** Returns the view of a session: a new one if the article shows an older session with the same name. */
function viewOf(session, article) {
  const { view } = article;
  const isSame = !view.session || view.session.createTime === session.createTime;
  if (isSame && !view.isOver) return view;
  const hadFocus = article.contains(document.activeElement);
  article.view = new SessionView(article, session.name);
  if (hadFocus) article.view.title.focus();
  return article.view;
}

function connected() {
  if (connection.dataset.state !== "connected") announce("Connected to the server");
  connection.dataset.state = "connected";
  show(connection, "Connected");
  document.body.classList.remove("stale");
  lost.hidden = true;
  signIn.hidden = true;
  find("sessions").hidden = false;
  const { token, claims } = credentials;
  find("identity").hidden = !token;
  const scopes = [claims.scope ?? [], claims.scopes ?? []].flat().join(" ");
  show(find("identity").firstElementChild, `${credentials.name} · ${scopes}`);
}

function disconnected(error) {
  // A call that the page itself has given up is no news.
  if (error.name === "AbortError" && document.hidden) return;
  document.body.classList.add("stale");
  const isServer = !isLost(error);
  if (connection.dataset.state !== "lost") {
    lost.dataset.since = new Date().toLocaleTimeString();
  }
  connection.dataset.state = "lost";
  show(connection, isServer ? "Refused" : "Disconnected");
  show(lost, isServer ? `The server refuses: ${error.message}`
    : `The server has not answered since ${lost.dataset.since}. What you see is old. Trying again.`);
  lost.hidden = false;
}

/** Asks for another token if the server does not accept this one. Returns whether it does so. */
function refused(error) {
  if (!["UNAUTHENTICATED", "PERMISSION_DENIED"].includes(error.code)) return false;
  // Before the first token there is nothing wrong yet.
  const isFirst = error.reason === "CREDENTIALS_MISSING" && signIn.hidden;
  askForToken(isFirst ? "" : error.message);
  return true;
}

/** Shows the form for a token, and what is wrong with the last one. */
function askForToken(problem) {
  show(find("sign-in-problem"), problem);
  turn.abort();
  watching?.abort();
  watching = null;
  connection.dataset.state = "waiting";
  show(connection, "Not signed in");
  lost.hidden = true;
  find("identity").hidden = true;
  find("sessions").hidden = true;
  find("session").hidden = true;
  find("session").replaceChildren();
  delete find("session").dataset.name;
  signIn.hidden = false;
  find("token").focus();
}

function pause(time, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
