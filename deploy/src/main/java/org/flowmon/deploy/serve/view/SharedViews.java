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
 * Named views in a file: {@code {"version": 1, "views": {NAME: {"page", "parameters", "revision",
 * "by", "at"}}}}. A change writes the whole file beside it and renames it, so that a reader or a
 * crash finds the old one or the new one. The file may be changed by hand meanwhile.
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

  /** By name. */
  synchronized Map<String, ObjectNode> all() throws IOException {
    Map<String, ObjectNode> views = new TreeMap<>();
    JsonNode read;
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw damaged("it has more than " + MOST_BYTES + " bytes");
      }
      read = JSON.readTree(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return views;
    }
    if (read == null || read.path("version").asInt() != VERSION || !read.path("views").isObject()) {
      throw damaged("expected version " + VERSION + " and views");
    }
    for (Map.Entry<String, JsonNode> one : read.get("views").properties()) {
      if (!(one.getValue() instanceof ObjectNode view)) {
        throw damaged("view '" + one.getKey() + "' is no object");
      }
      views.put(one.getKey(), view);
    }
    return views;
  }

  private IOException damaged(String why) {
    return new IOException("the file of views " + file + " is damaged: " + why);
  }

  /** Keeps a view if the one of its name is as expected; returns it with its new revision. */
  synchronized ObjectNode put(String name, ObjectNode view, Expected expected) throws IOException {
    Map<String, ObjectNode> views = all();
    long before = check(name, Optional.ofNullable(views.get(name)), expected);
    view.put("revision", before + 1);
    views.put(name, view);
    if (views.size() > MOST) {
      throw new Problem(
          Problem.Code.TOO_LARGE, "there are " + MOST + " views already; remove one first");
    }
    write(views);
    return view;
  }

  synchronized ObjectNode remove(String name, Expected expected) throws IOException {
    Map<String, ObjectNode> views = all();
    ObjectNode view = views.remove(name);
    if (view == null) {
      throw Problem.notFound("there is no view '" + name + "'");
    }
    long unused = check(name, Optional.of(view), expected);
    write(views);
    return view;
  }

  private static long check(String name, Optional<ObjectNode> there, Expected expected) {
    long revision = there.map(view -> view.path("revision").asLong()).orElse(0L);
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
    return revision;
  }

  private void write(Map<String, ObjectNode> views) throws IOException {
    ObjectNode whole = JSON.createObjectNode();
    whole.put("version", VERSION);
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
