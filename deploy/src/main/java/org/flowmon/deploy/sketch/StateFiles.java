package org.flowmon.deploy.sketch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.output.TextTable;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;

/** States of one {@link BoundUdaf#stateType} in files; all else is an error with its place. */
final class StateFiles {
  private static final int MAX_BYTES = 1 << 30;
  private static final String STANDARD_INPUT = "-";

  /** The header of a CSV file with one column; no state is so short. */
  private static final Pattern COLUMN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/=]");

  /** "FLW" in base64. */
  private static final String BEGIN = "RkxX";

  /** Characters that an error shows of an invalid state. */
  private static final int SHOWN = 40;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final Udafs functions = Udafs.load(StateFiles.class.getClassLoader());
  private Optional<First> first = Optional.empty();

  /** The function of the first state, which all others must have, and its place. */
  private record First(BoundUdaf function, String where) {}

  /** A state and its place, for people. */
  record Found(ExportedState state, String where) {}

  /** The merged states and their number. */
  record Merged(SuperState state, int states) {}

  /** That of all states; some state must have been {@linkplain #merge merged}. */
  BoundUdaf function() {
    return first.orElseThrow().function();
  }

  Udafs functions() {
    return functions;
  }

  /** The states of a file, at least one. */
  List<Found> read(String file) throws IOException {
    byte[] bytes;
    if (file.equals(STANDARD_INPUT)) {
      bytes = bytes(System.in, "standard input");
    } else if (Files.isDirectory(Path.of(file))) {
      throw new CommandException(file + ": expected a file of exported states, found a folder");
    } else {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        bytes = bytes(in, file);
      }
    }
    String name = file.equals(STANDARD_INPUT) ? "standard input" : file;
    List<Found> found = ExportedState.begins(bytes) ? binary(bytes, name) : text(bytes, name);
    if (found.isEmpty()) {
      throw new CommandException(name + ": expected exported states, found none");
    }
    return found;
  }

  private static byte[] bytes(InputStream in, String name) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new CommandException(
          name + ": expected at most " + MAX_BYTES + " bytes of states, found more");
    }
    return bytes;
  }

  private static List<Found> binary(byte[] bytes, String name) {
    List<Found> found = new ArrayList<>();
    try {
      for (ExportedState state : ExportedState.readAll(bytes)) {
        found.add(new Found(state, name + ", state " + (found.size() + 1)));
      }
    } catch (StateFormatException e) {
      throw new CommandException(name + ": " + e.getMessage());
    }
    return found;
  }

  private static List<Found> text(byte[] bytes, String name) {
    List<Found> found = new ArrayList<>();
    String all = new String(bytes, StandardCharsets.UTF_8);
    String[] lines = (all.startsWith(BYTE_ORDER_MARK) ? all.substring(1) : all).split("\\R", -1);
    String column = null;
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (line.isEmpty()) {
        continue;
      }
      if (i == 0 && COLUMN.matcher(line).matches() && !line.startsWith(BEGIN)) {
        column = line; // from a query's answer as CSV
        continue;
      }
      String where = name + ", line " + (i + 1);
      byte[] state;
      try {
        state = Base64.getDecoder().decode(line);
      } catch (IllegalArgumentException e) {
        throw new CommandException(where + ": " + damage(line));
      }
      try {
        found.add(new Found(ExportedState.read(state), where));
      } catch (StateFormatException e) {
        throw new CommandException(where + ": " + e.getMessage());
      }
    }
    if (found.isEmpty() && column != null) {
      throw new CommandException(
          name + ", line 1: expected exported states, found " + shown(column) + " and no more");
    }
    return found;
  }

  private static String shown(String line) {
    int end = line.offsetByCodePoints(0, Math.min(SHOWN, line.codePointCount(0, line.length())));
    String rest = end < line.length() ? "\u2026" : "";
    return "'" + TextTable.printable(line.substring(0, end)) + rest + "'";
  }

  private static String damage(String line) {
    if (!line.startsWith(BEGIN)) {
      return "expected an exported state, as bytes or a line of base64, found " + shown(line);
    }
    for (int i = 0; i < line.length(); i++) {
      if (!BASE64.matcher(line.substring(i, i + 1)).matches()) {
        return String.format(
            "begins as an exported state; character %,d of the line, '%s', is none of base64",
            i + 1, TextTable.printable(line.substring(i, i + 1)));
      }
    }
    return String.format(
        "begins as an exported state; its %,d characters of base64 are cut or have some too many",
        line.length());
  }

  SuperState state(Found found) {
    return merge(List.of(found)).state();
  }

  /** Merges states, at least one. */
  Merged merge(List<Found> all) {
    SuperState merged = bind(all.get(0)).superAggregate().initialize();
    for (int s = 0; s < all.size(); s++) {
      Found found = all.get(s);
      if (s > 0) {
        var unused = bind(found);
      }
      try {
        found.state().mergeInto(merged);
      } catch (StateFormatException e) {
        throw new CommandException(found.where() + ": " + e.getMessage());
      }
    }
    return new Merged(merged, all.size());
  }

  List<Found> readAll(List<String> files) throws IOException {
    List<Found> all = new ArrayList<>();
    for (String file : files) {
      all.addAll(read(file));
    }
    return all;
  }

  /** The function of a state, which must be that of the first. */
  private BoundUdaf bind(Found found) {
    BoundUdaf own;
    try {
      own = found.state().bind(functions);
    } catch (UdafException e) {
      throw new CommandException(found.where() + ": " + e.getMessage());
    }
    if (first.isEmpty()) {
      first = Optional.of(new First(own, found.where()));
    } else if (!own.stateType().equals(function().stateType())) {
      throw new CommandException(
          found.where()
              + ": expected a state of "
              + function().stateType()
              + " as in "
              + first.get().where()
              + ", found one of "
              + own.stateType());
    }
    return own;
  }
}
