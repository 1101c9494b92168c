package org.flowmon.deploy.serve.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.flowmon.deploy.command.CommandException;

/**
 * Tokens with names and roles. Compared by their SHA-256, each in the same time, so that answers do
 * not tell how much of a guess is right.
 */
public final class Tokens {
  /** Whoever asks is {@link Caller#LOCAL}. */
  public static final Tokens NONE = new Tokens(List.of());

  private static final int LEAST = 16;
  private static final String SCHEME = "bearer ";

  private static final class Entry {
    final byte[] hash;
    final Caller caller;

    Entry(byte[] hash, Caller caller) {
      this.hash = hash;
      this.caller = caller;
    }
  }

  private final List<Entry> entries;

  private Tokens(List<Entry> entries) {
    this.entries = entries;
  }

  /**
   * Reads a file with a line {@code ROLE NAME TOKEN} for each; {@code #} begins a comment.
   *
   * @throws CommandException that names the wrong line
   */
  public static Tokens read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new CommandException("--tokens: no such file: " + file);
    } catch (IOException e) {
      throw new CommandException("--tokens: " + file + " cannot be read: " + e.getMessage());
    }
    List<Entry> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        Entry entry = entry(file + ":" + (i + 1) + ": ", line);
        if (!names.add(entry.caller.name())) {
          throw new CommandException(
              file + ":" + (i + 1) + ": '" + entry.caller.name() + "' has a token already");
        }
        entries.add(entry);
      }
    }
    if (entries.isEmpty()) {
      throw new CommandException(file + " has no token: expected lines ROLE NAME TOKEN");
    }
    return new Tokens(entries);
  }

  private static Entry entry(String place, String line) {
    String[] parts = line.split("\\s+", -1);
    if (parts.length != 3) {
      throw new CommandException(place + "expected ROLE NAME TOKEN");
    }
    Optional<Role> role = Role.byName(parts[0].toLowerCase(Locale.ROOT));
    if (role.isEmpty()) {
      throw new CommandException(
          place + "the role '" + parts[0] + "' is unknown: expected read, analyst or admin");
    }
    String token = parts[2];
    if (token.length() < LEAST || !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new CommandException(
          place + "the token is too short: expected " + LEAST + " letters, digits and signs");
    }
    return new Entry(hash(token), new Caller(parts[1], role.get()));
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The caller with this header {@code Authorization}; empty if it has no known token. */
  public Optional<Caller> caller(Optional<String> authorization) {
    if (entries.isEmpty()) {
      return Optional.of(Caller.LOCAL);
    }
    String shown = authorization.orElse("");
    if (!shown.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      return Optional.empty();
    }
    byte[] hash = hash(shown.substring(SCHEME.length()).strip());
    Optional<Caller> found = Optional.empty();
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.hash, hash)) {
        found = Optional.of(entry.caller);
      }
    }
    return found;
  }
}
