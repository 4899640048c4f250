import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";

import CopyPage from "./CopyPage.vue";
import Playground from "./Playground.vue";
import TableFilter from "./TableFilter.vue";

// oxlint-disable-next-line import/no-unassigned-import -- Vite adds the styles of a module
import "./style.css";

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("Playground", Playground),
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "doc-before": () => [h(CopyPage), h(TableFilter)],
    }),
};

// VitePress takes the theme from the default export.
export default theme;
