// Fills "On this page" with links to the sections, or removes it from a page without sections.
const contents = document.querySelector("#toc");
const sections = document.querySelectorAll("main h2[id], main .section[id] > h2, main .section[id] > h3");
if (contents && sections.length === 0) contents.remove();
if (contents && sections.length > 0) {
  const list = contents.appendChild(document.createElement("ul"));
  for (const section of sections) {
    const link = list.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
    link.href = "#" + (section.id || section.parentElement.id);
    link.className = section.tagName === "H3" ? "subsection" : "";
    link.textContent = section.textContent.trim();
  }
}
