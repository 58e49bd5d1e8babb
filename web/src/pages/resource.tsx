/** Pages of resources: previews of what is marked, sections that fold, lists that are filtered, IRIs to copy. */

import { copyButtons, languageNames } from "../shared/enhancements";
import { filters } from "../shared/filters";
import { folds } from "../shared/folds";
import { previews } from "../shared/previews";

copyButtons();
languageNames();
folds(document.querySelector(".paper > article"));
filters(document.querySelectorAll(".filtered"));
previews(document.querySelectorAll<HTMLAnchorElement>("a.mark, a.also, .things a"));
