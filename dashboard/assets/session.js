/* Signing out, and going on with the same page, as it is, after the session has ended. */

(function () {
  "use strict";

  const SIGNED_IN = "/signed-in";
  const send = window.fetch.bind(window);
  let notice = null;

  function csrfToken() {
    const name = JSON.parse(document.getElementById("_dash-config").textContent).csrf_token_name;
    const held = document.cookie.split("; ").find((each) => each.startsWith(`${name}=`));
    return held ? held.slice(name.length + 1) : "";
  }

  function signOut() {
    const form = document.createElement("form");
    const token = document.createElement("input");
    Object.assign(form, { method: "post", action: "/sign-out", hidden: true });
    Object.assign(token, { type: "hidden", name: "csrf_token", value: csrfToken() });
    form.append(token);
    document.body.append(form);
    form.submit();
  }

  function poll(disabled) {
    dash_clientside.set_props("shell-poll", { disabled });
  }

  /* Another tab signs in, so that whatever was typed into this one stays. */
  function ended() {
    if (notice) return;
    notice = document.createElement("div");
    notice.className = "session-ended";
    notice.setAttribute("role", "alert");
    const link = document.createElement("a");
    Object.assign(link, { href: SIGNED_IN, target: "_blank", className: "action" });
    link.textContent = "Sign in again";
    notice.append("Your session has ended. What you entered here stays.", link);
    document.body.append(notice);
    poll(true);
  }

  function goesOn() {
    if (!notice) return;
    notice.remove();
    notice = null;
    poll(false);
  }

  window.fetch = async (...request) => {
    const answer = await send(...request);
    if (answer.status === 401) ended();
    else if (answer.ok && answer.url.includes("/_dash-update-component")) goesOn();
    return answer;
  };

  window.addEventListener("focus", async () => {
    if (notice && (await send(SIGNED_IN, { method: "HEAD" })).ok) goesOn();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-action='sign-out']")) signOut();
  });
})();
