// How `changeset version` writes the changelog of a package: the text of each changeset. All packages are released together, so a line that names
// updated dependencies would say nothing.
module.exports = {
  getReleaseLine: async ({ summary }) => {
    const [first = "", ...rest] = summary.trim().split("\n");
    return [`- ${first}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n");
  },
  getDependencyReleaseLine: async () => "",
};
