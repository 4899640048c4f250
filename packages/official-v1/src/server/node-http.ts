import "./web-http.ts";
