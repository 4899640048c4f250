import "./engine.ts";
