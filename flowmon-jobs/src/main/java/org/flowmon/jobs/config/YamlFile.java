package org.flowmon.jobs.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads one YAML document whose nodes know their places, for errors. */
public final class YamlFile {
  private static final long MAX_BYTES = 1 << 20;

  private static final Pattern NAMED =
      Pattern.compile("(alias|anchor|tag handle|tag|duplicate key) \\S+");

  private YamlFile() {}

  public static YamlSection read(Path file) {
    return readDocument(file).section();
  }

  public static YamlDocument readDocument(Path file) {
    return parseDocument(file.toString(), text(file));
  }

  public static String text(Path file) {
    try {
      long size = Files.size(file);
      if (size > MAX_BYTES) {
        throw new ConfigException(
            file + ": " + size + " bytes; a configuration has at most " + MAX_BYTES);
      }
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + ": is not UTF-8 text", e);
    } catch (NoSuchFileException e) {
      throw new ConfigException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read (" + e + ")", e);
    }
  }

  public static YamlSection readResource(String resource) {
    return parse(resource, resourceText(resource));
  }

  public static String resourceText(String resource) {
    try (InputStream in = YamlFile.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new ConfigException("no resource " + resource + " on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ConfigException(resource + ": cannot be read (" + e + ")", e);
    }
  }

  public static YamlSection parse(String file, String text) {
    return parseDocument(file, text).section();
  }

  public static YamlDocument parseDocument(String file, String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file)
            .setUseMarks(true)
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(0)
            .build();
    Optional<Node> root;
    try {
      root = new Compose(settings).composeString(text);
    } catch (MarkedYamlEngineException e) {
      throw notYaml(file, e);
    } catch (YamlEngineException e) {
      throw new ConfigException(file + ": not YAML: " + said(e.getMessage()));
    } catch (StackOverflowError e) {
      // The parser has no limit of its own; a configuration has some five levels.
      throw new ConfigException(file + ": not a configuration: it is nested too deeply", e);
    }
    if (root.isEmpty() || !(root.get() instanceof MappingNode mapping)) {
      throw new ConfigException(
          file + ": expected keys and values, for example \"name: elephants\"");
    }
    return new YamlDocument(file, Map.of(file, text.lines().toList()), mapping);
  }

  /** Removes names from a message: a value that begins with * or ! may be an unquoted password. */
  private static String said(@Nullable String problem) {
    return NAMED.matcher(String.valueOf(problem)).replaceAll("$1");
  }

  // Omits the cause: its message quotes the line, which may hold a secret.
  private static ConfigException notYaml(String file, MarkedYamlEngineException e) {
    String place =
        e.getProblemMark()
            .map(mark -> ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
            .orElse("");
    String context = e.getContext() == null ? "" : ", " + e.getContext();
    return new ConfigException(file + place + ": not YAML: " + said(e.getProblem()) + context);
  }
}
