package org.flowmon.deploy.serve.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.files.PrivateFiles;
import org.flowmon.flow.files.SyncedFolders;

/**
 * Named views in a file: {@code {"version": 1, "revision": LAST, "views": {NAME: {"page",
 * "parameters", "revision", "by", "at"}}}}. All views share one count of revisions, so none returns
 * when a view is removed and made anew. A change writes the whole file beside it and renames it, so
 * that a reader or a crash finds the old one or the new one. The file may be changed by hand
 * meanwhile.
 */
final class SharedViews {
  static final int MOST = 1000;
  private static final int MOST_BYTES = 4 << 20;
  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;

  SharedViews(Path file) {
    this.file = file;
  }

  /** What a client knows of the view that it changes. */
  sealed interface Expected {
    /** Whatever is there. */
    record Anything() implements Expected {}

    record Nothing() implements Expected {}

    record Revision(long number) implements Expected {}
  }

  /**
   * The views of the file, by name.
   *
   * @param last the highest revision that was ever given
   */
  private record Kept(Map<String, ObjectNode> views, long last) {}

  /** By name. */
  synchronized Map<String, ObjectNode> all() throws IOException {
    return read().views();
  }

  private Kept read() throws IOException {
    Map<String, ObjectNode> views = new TreeMap<>();
    JsonNode read;
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw damaged("it has more than " + MOST_BYTES + " bytes");
      }
      read = JSON.readTree(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return new Kept(views, 0);
    }
    if (read == null || read.path("version").asInt() != VERSION || !read.path("views").isObject()) {
      throw damaged("expected version " + VERSION + " and views");
    }
    long last = read.path("revision").asLong();
    for (Map.Entry<String, JsonNode> one : read.get("views").properties()) {
      if (!(one.getValue() instanceof ObjectNode view)) {
        throw damaged("view '" + one.getKey() + "' is no object");
      }
      views.put(one.getKey(), view);
      last = Math.max(last, revision(view)); // the file may be older than the count
    }
    return new Kept(views, last);
  }

  private IOException damaged(String why) {
    return new IOException("the file of views " + file + " is damaged: " + why);
  }

  /** Keeps a view if the one of its name is as expected; returns it with its new revision. */
  synchronized ObjectNode put(String name, ObjectNode view, Expected expected) throws IOException {
    Kept kept = read();
    Map<String, ObjectNode> views = kept.views();
    check(name, Optional.ofNullable(views.get(name)), expected);
    view.put("revision", kept.last() + 1);
    views.put(name, view);
    if (views.size() > MOST) {
      throw new Problem(
          Problem.Code.TOO_LARGE, "there are " + MOST + " views already; remove one first");
    }
    write(views, kept.last() + 1);
    return view;
  }

  synchronized ObjectNode remove(String name, Expected expected) throws IOException {
    Kept kept = read();
    ObjectNode view = kept.views().remove(name);
    if (view == null) {
      throw Problem.notFound("there is no view '" + name + "'");
    }
    check(name, Optional.of(view), expected);
    write(kept.views(), kept.last());
    return view;
  }

  private static long revision(ObjectNode view) {
    return view.path("revision").asLong();
  }

  private static void check(String name, Optional<ObjectNode> there, Expected expected) {
    long revision = there.map(SharedViews::revision).orElse(0L);
    boolean isExpected =
        expected instanceof Expected.Anything
            || (expected instanceof Expected.Nothing && there.isEmpty())
            || (expected instanceof Expected.Revision one && one.number() == revision);
    if (!isExpected) {
      throw new Problem(
          Problem.Code.CONFLICT,
          there.isEmpty()
              ? "view '" + name + "' was removed meanwhile"
              : "view '" + name + "' is there, of revision " + revision + "; read it anew");
    }
  }

  private void write(Map<String, ObjectNode> views, long last) throws IOException {
    ObjectNode whole = JSON.createObjectNode();
    whole.put("version", VERSION);
    whole.put("revision", last);
    whole.putObject("views").setAll(views);
    byte[] bytes = JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(whole);
    if (bytes.length > MOST_BYTES) {
      throw new Problem(
          Problem.Code.TOO_LARGE,
          "all views together may have " + MOST_BYTES + " bytes; remove some first");
    }
    Path place = file.toAbsolutePath();
    Path next = place.resolveSibling(place.getFileName() + ".next");
    try (FileChannel out =
        PrivateFiles.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer all = ByteBuffer.wrap(bytes);
      while (all.hasRemaining()) {
        int unused = out.write(all);
      }
      out.force(true);
    }
    Files.move(next, place, StandardCopyOption.ATOMIC_MOVE);
    Path folder = place.getParent();
    if (folder != null) {
      SyncedFolders.sync(folder);
    }
  }
}
