import "../shared/engine.ts";
