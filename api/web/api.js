// Puts the address of this house into the commands of the page.

import { apply } from "./settings.js";

apply();
for (const node of document.querySelectorAll(".here")) node.textContent = location.origin;
