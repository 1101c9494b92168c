package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;

/** A {@link PartFile}: it exists with all its rows or not at all. */
public final class FileTarget implements ExportTarget {
  private final Path file;
  private final ExportFormat format;
  private final boolean replace;
  private Optional<Opened> opened = Optional.empty(); // since it began

  private record Opened(PartFile part, StreamTarget rows) {}

  /**
   * Throws {@link FileAlreadyExistsException} if the file exists and is not to be replaced.
   *
   * @throws IOException if its folder does not exist
   */
  public static FileTarget of(Path file, ExportFormat format, boolean replace) throws IOException {
    PartFile.check(file, replace);
    return new FileTarget(file, format, replace);
  }

  private FileTarget(Path file, ExportFormat format, boolean replace) {
    this.file = file;
    this.format = format;
    this.replace = replace;
  }

  @Override
  public void begin(List<ExportColumn> columns) throws IOException {
    PartFile part = new PartFile(file, replace);
    StreamTarget rows = new StreamTarget(part.stream(), format);
    opened = Optional.of(new Opened(part, rows));
    rows.begin(columns);
  }

  @Override
  public void write(ExportRows block) throws IOException {
    opened.orElseThrow().rows().write(block);
  }

  @Override
  public void finish() throws IOException {
    opened.orElseThrow().rows().finish();
    opened.orElseThrow().part().publish();
  }

  @Override
  public void close() throws IOException {
    if (opened.isPresent()) {
      opened.get().rows().close();
      opened.get().part().close();
    }
  }
}
