package org.flowmon.jobs.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Present;
import org.snakeyaml.engine.v2.api.lowlevel.Serialize;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A YAML file before its keys are read, perhaps merged with files that it extends. Each value still
 * knows the file and line that it comes from.
 */
public final class YamlDocument {
  private final String file;
  private final Map<String, List<String>> lines; // of each file, by its name
  private final MappingNode root;

  YamlDocument(String file, Map<String, List<String>> lines, MappingNode root) {
    this.file = file;
    this.lines = Map.copyOf(lines);
    this.root = root;
  }

  /** The file's name, as errors give it. */
  public String file() {
    return file;
  }

  /** Whether it is made of several files. */
  public boolean isMerged() {
    return lines.size() > 1;
  }

  public YamlSection section() {
    return new YamlSection(this, "", root);
  }

  /** Returns the plain value of a key at the top; empty without one. */
  public Optional<String> text(String key, String expected) {
    return Optional.ofNullable(section().textOrNull(key, expected));
  }

  public YamlDocument without(Set<String> keys) {
    return with(
        root.getValue().stream().filter(tuple -> !keys.contains(key(tuple).getValue())).toList());
  }

  private YamlDocument with(List<NodeTuple> tuples) {
    return new YamlDocument(file, lines, copy(root, tuples));
  }

  /**
   * Returns this document merged into {@code base} by the rules of JSON Merge Patch (RFC 7396):
   * keys below keys are merged, any other value replaces that of the base, null removes it.
   */
  public YamlDocument over(YamlDocument base) {
    Map<String, List<String>> all = new HashMap<>(base.lines);
    all.putAll(lines);
    return new YamlDocument(file, all, merged(base.root, root));
  }

  private MappingNode merged(MappingNode base, MappingNode over) {
    Map<String, NodeTuple> tuples = new LinkedHashMap<>();
    base.getValue().forEach(tuple -> tuples.put(key(tuple).getValue(), tuple));
    for (NodeTuple tuple : over.getValue()) {
      String key = key(tuple).getValue();
      Node value = tuple.getValueNode();
      NodeTuple below = tuples.get(key);
      if (value.getTag().equals(Tag.NULL)) {
        tuples.remove(key);
      } else if (value instanceof MappingNode patch) {
        MappingNode old =
            below != null && below.getValueNode() instanceof MappingNode keys
                ? keys
                : copy(patch, List.of());
        tuples.put(key, new NodeTuple(tuple.getKeyNode(), merged(old, patch)));
      } else {
        tuples.put(key, tuple);
      }
    }
    return copy(over, List.copyOf(tuples.values()));
  }

  /**
   * Returns this document with {@code ${name}} replaced by the text of that variable in all values,
   * and without its variables.
   *
   * @param key that has the variables
   * @param given further variables, which the file may not define
   */
  public YamlDocument interpolated(String key, Map<String, String> given) {
    Variables variables = variables(key, given);
    List<NodeTuple> tuples = new ArrayList<>();
    for (NodeTuple tuple : root.getValue()) {
      if (!key(tuple).getValue().equals(key)) {
        tuples.add(variables.interpolated(key(tuple).getValue(), tuple));
      }
    }
    variables.checkUsed();
    return with(tuples);
  }

  /**
   * As {@link #interpolated(String, Map)}, without given variables and of a few keys alone: other
   * values, which are left out, may read the other variables.
   */
  public YamlDocument interpolated(String variables, String section, Set<String> keys) {
    Variables written = variables(variables, Map.of());
    List<NodeTuple> tuples = new ArrayList<>();
    for (NodeTuple tuple : root.getValue()) {
      if (key(tuple).getValue().equals(section)
          && tuple.getValueNode() instanceof MappingNode mapping) {
        List<NodeTuple> few =
            mapping.getValue().stream().filter(one -> keys.contains(key(one).getValue())).toList();
        NodeTuple part = new NodeTuple(tuple.getKeyNode(), copy(mapping, few));
        tuples.add(written.interpolated(section, part));
      }
    }
    return with(tuples);
  }

  private Variables variables(String key, Map<String, String> given) {
    Variables variables = new Variables(this, key, given);
    for (NodeTuple tuple : root.getValue()) {
      if (key(tuple).getValue().equals(key)) {
        variables.define(tuple.getValueNode());
      }
    }
    return variables;
  }

  /** Returns the document without the variables of other files that no value reads any more. */
  public YamlDocument withoutUnread(String variables) {
    Set<String> read = Variables.read(without(Set.of(variables)).root);
    List<NodeTuple> tuples = new ArrayList<>();
    for (NodeTuple tuple : root.getValue()) {
      if (key(tuple).getValue().equals(variables)
          && tuple.getValueNode() instanceof MappingNode mapping) {
        List<NodeTuple> kept =
            mapping.getValue().stream()
                .filter(one -> isOwn(one.getValueNode()) || read.contains(key(one).getValue()))
                .toList();
        if (!kept.isEmpty()) {
          tuples.add(new NodeTuple(tuple.getKeyNode(), copy(mapping, kept)));
        }
      } else {
        tuples.add(tuple);
      }
    }
    return with(tuples);
  }

  /** Returns the document as text, without comments. */
  public String toText() {
    DumpSettings settings = DumpSettings.builder().setWidth(120).setSplitLines(false).build();
    return new Present(settings)
        .emitToString(new Serialize(settings).serializeOne(root).iterator());
  }

  /** Returns the key of an entry, which is a plain word. */
  ScalarNode key(NodeTuple tuple) {
    if (tuple.getKeyNode() instanceof ScalarNode key) {
      return key;
    }
    throw new ConfigException(place(tuple.getKeyNode()) + ": a key must be a plain word");
  }

  static MappingNode copy(MappingNode node, List<NodeTuple> tuples) {
    return new MappingNode(
        node.getTag(),
        true,
        new ArrayList<>(tuples),
        node.getFlowStyle(),
        node.getStartMark(),
        node.getEndMark());
  }

  ConfigException error(Node at, String key, String message) {
    return new ConfigException(place(at) + ": " + key + ": " + message);
  }

  /** Whether a value comes from this file itself and not from one that it extends. */
  boolean isOwn(Node node) {
    return node.getStartMark().map(mark -> mark.getName().equals(file)).orElse(true);
  }

  /** Returns file and line of a value; before them this file, if it comes from another one. */
  String place(Node node) {
    return file(node) + ":" + node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }

  private String file(Node node) {
    String from = node.getStartMark().map(Mark::getName).orElse(file);
    return from.equals(file) ? file : file + ": " + from;
  }

  /** Returns file, line and column of a character of a value; null if they are not known. */
  @Nullable String place(ScalarNode value, int offset) {
    if (value instanceof InterpolatedNode made) {
      InterpolatedNode.Written at = made.written(offset);
      return place(at.node(), at.offset());
    }
    List<String> of = lines.get(value.getStartMark().map(Mark::getName).orElse(file));
    String at = of == null ? null : ScalarPlaces.of(of, value, offset);
    return at == null ? null : file(value) + ":" + at;
  }
}
