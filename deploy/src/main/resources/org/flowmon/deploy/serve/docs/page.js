SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  // Nothing leaves this server.
  validatorUrl: null,
});
