package org.flowmon.deploy.export.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileTargetTest {
  @TempDir Path folder;

  private static void write(FileTarget target, String column) throws IOException {
    target.begin(List.of(new ExportColumn(column, ExportColumn.Kind.INT64, null, null)));
  }

  @Test
  void aMissingFolderIsNamedBeforeAnythingIsRead() {
    Path file = folder.resolve("none").resolve("x.csv");
    IOException e =
        assertThrows(IOException.class, () -> FileTarget.of(file, ExportFormat.CSV, false));
    assertEquals(file + ": there is no folder " + file.getParent(), e.getMessage());
  }

  @Test
  void twoExportsToOneFileKeepApartAndTheLaterDoesNotReplace() throws Exception {
    for (String name : List.of("x.csv", "x.csv.gz")) {
      Path file = folder.resolve(name);
      Path own = Files.writeString(folder.resolve(name + ".part"), "a user's own");
      byte[] published;
      try (FileTarget first = FileTarget.of(file, ExportFormat.CSV, false);
          FileTarget second = FileTarget.of(file, ExportFormat.CSV, false)) {
        write(first, "first");
        write(second, "second");
        first.finish();
        published = Files.readAllBytes(file);
        assertThrows(IOException.class, second::finish);
      }
      assertEquals("a user's own", Files.readString(own));
      assertArrayEquals(published, Files.readAllBytes(file));
      try (FileTarget forced = FileTarget.of(file, ExportFormat.CSV, true)) {
        write(forced, "third");
        forced.finish();
      }
      if (name.equals("x.csv")) {
        assertEquals("third\r\n", Files.readString(file));
      }
    }
    try (var files = Files.list(folder)) {
      assertEquals(4, files.count());
    }
  }
}
