import { bothEras } from "@tenon/testing";

document.title = bothEras.join(" ");
