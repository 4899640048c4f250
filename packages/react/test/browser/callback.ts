import { reportLogin } from "@tenon/react";

reportLogin();
