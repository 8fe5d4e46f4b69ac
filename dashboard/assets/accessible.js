/* What Dash's own controls owe to assistive technology: roles that hold what they promise. */

(function () {
  "use strict";

  const MENDED = {
    /* Radio buttons, drawn by Dash as a list of options that hold them. */
    ".choice [role='listbox']": (list) => {
      list.setAttribute("role", "radiogroup");
      for (const name of ["aria-multiselectable", "aria-activedescendant"]) list.removeAttribute(name);
    },
    ".choice label[role='option'], .choice label[aria-selected]": (label) => {
      label.removeAttribute("role");
      label.removeAttribute("aria-selected");
    },
    /* The stop of the keyboard is the button itself, not a hidden field before it. */
    ".dash-dropdown-focus-target:not([tabindex='-1'])": (target) => (target.tabIndex = -1),
    "button.dash-dropdown[tabindex='-1']": (button) => (button.tabIndex = 0),
    ".dash-datepicker-clear:not([role])": (clear) => clear.setAttribute("role", "button"),
    ".dash-datepicker-input-wrapper[aria-expanded]": (box) => {
      for (const name of ["aria-expanded", "aria-haspopup"]) box.removeAttribute(name);
      box.setAttribute("role", "group");
    },
  };

  function mend(within) {
    for (const [which, how] of Object.entries(MENDED)) within.querySelectorAll(which).forEach(how);
  }
  const watched = { childList: true, subtree: true, attributeFilter: ["aria-selected", "aria-expanded"] };
  new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "attributes") mend(change.target.parentElement || document);
      else if (change.addedNodes.length) mend(change.target);
    }
  }).observe(document, watched);
})();
