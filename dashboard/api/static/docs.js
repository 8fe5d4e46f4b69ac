"use strict";
const chosen = localStorage.getItem("scheme");
const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.classList.toggle("dark-mode", dark);
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ["get"],
  validatorUrl: null,
});
