/** The files that a person drops on a page or chooses there, with their paths below what was chosen. */

export interface DroppedFile {
  path: string;
  file: File;
}

/** The files of a choice in a field; of a folder, with their paths in it. */
export function chosenFiles(list: FileList | null): DroppedFile[] {
  return [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** The files of a drop, those of folders included, at most `most`. Throws an error above that. */
export async function droppedFiles(transfer: DataTransfer, most: number): Promise<DroppedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found: DroppedFile[] = [];
  while (entries.length > 0) {
    const entry = entries.shift() as FileSystemEntry;
    if (entry.isDirectory) entries.push(...(await listed(entry as FileSystemDirectoryEntry)));
    else found.push({ path: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry as FileSystemFileEntry) });
    if (found.length > most) throw new Error(`more than ${most} files; add a part of them, or use sage-ld ingest`);
  }
  return found;
}

async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Lists of files of which each has at most `size` bytes and `count` files; a larger file stands alone. */
export function batches(files: readonly DroppedFile[], size: number, count: number): DroppedFile[][] {
  const made: DroppedFile[][] = [];
  let room = 0;
  for (const each of files) {
    const last = made.at(-1);
    if (last === undefined || each.file.size > room || last.length === count) {
      made.push([each]);
      room = size - each.file.size;
    } else {
      last.push(each);
      room -= each.file.size;
    }
  }
  return made;
}
