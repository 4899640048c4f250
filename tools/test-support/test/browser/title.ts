import { bothEras } from "@tenon/test-support";

document.title = bothEras.join(" ");
