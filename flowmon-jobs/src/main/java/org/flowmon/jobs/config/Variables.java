package org.flowmon.jobs.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Replaces {@code ${name}} in the values of a document by the texts of its variables. */
final class Variables {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}\\n]*)}");

  /** Of all values together: a few variables could make a text of any length. */
  private static final int MAX_TEXT = 1 << 20;

  private final YamlDocument document;
  private final String key;
  private final Map<String, String> given;
  private final Map<String, ScalarNode> written = new LinkedHashMap<>();
  private final Set<String> used = new HashSet<>();
  private int length; // of the texts that replaced variables

  /**
   * @param key that has the variables
   * @param given variables that no file writes
   */
  Variables(YamlDocument document, String key, Map<String, String> given) {
    this.document = document;
    this.key = key;
    this.given = given;
  }

  void define(Node variables) {
    if (variables instanceof MappingNode mapping) {
      mapping.getValue().forEach(this::define);
    } else if (!variables.getTag().equals(Tag.NULL)) {
      throw document.error(variables, key, "expected names and values, such as threshold: 4");
    }
  }

  private void define(NodeTuple variable) {
    String name = document.key(variable).getValue();
    Node node = variable.getValueNode();
    if (!Names.isName(name)) {
      throw error(node, name, "expected a name of " + Names.RULE);
    }
    if (given.containsKey(name)) {
      throw error(node, name, "expected another name: ${" + name + "} always has a value");
    }
    if (!(node instanceof ScalarNode value) || node.getTag().equals(Tag.NULL)) {
      throw error(node, name, "expected a plain value");
    }
    if (REFERENCE.matcher(value.getValue()).find()) {
      throw error(node, name, "expected a text without further variables");
    }
    written.put(name, value);
  }

  /** A variable of this file that nothing reads may be a misspelt one of the file it extends. */
  void checkUsed() {
    written.forEach(
        (name, value) -> {
          if (!used.contains(name) && document.isOwn(value)) {
            throw error(
                value, name, "no value reads ${" + name + "}" + Names.didYouMean(name, used));
          }
        });
  }

  /** Returns the names of all variables that the values read, known or not. */
  static Set<String> read(Node node) {
    Set<String> names = new HashSet<>();
    addRead(node, names);
    return names;
  }

  private static void addRead(Node node, Set<String> names) {
    if (node instanceof ScalarNode scalar) {
      Matcher reference = REFERENCE.matcher(scalar.getValue());
      while (reference.find()) {
        names.add(reference.group(1));
      }
    } else if (node instanceof MappingNode mapping) {
      mapping.getValue().forEach(tuple -> addRead(tuple.getValueNode(), names));
    } else if (node instanceof SequenceNode sequence) {
      sequence.getValue().forEach(one -> addRead(one, names));
    }
  }

  private ConfigException error(Node at, String name, String message) {
    return document.error(at, key + "." + name, message);
  }

  NodeTuple interpolated(String path, NodeTuple tuple) {
    return new NodeTuple(tuple.getKeyNode(), interpolated(path, tuple.getValueNode()));
  }

  private Node interpolated(String path, Node node) {
    if (node instanceof ScalarNode scalar) {
      return interpolated(path, scalar);
    }
    if (node instanceof MappingNode mapping) {
      List<NodeTuple> tuples = new ArrayList<>();
      for (NodeTuple tuple : mapping.getValue()) {
        tuples.add(interpolated(path + "." + document.key(tuple).getValue(), tuple));
      }
      return YamlDocument.copy(mapping, tuples);
    }
    if (node instanceof SequenceNode sequence) {
      List<Node> items = sequence.getValue().stream().map(one -> interpolated(path, one)).toList();
      return new SequenceNode(
          sequence.getTag(),
          true,
          items,
          sequence.getFlowStyle(),
          sequence.getStartMark(),
          sequence.getEndMark());
    }
    return node;
  }

  private ScalarNode interpolated(String path, ScalarNode node) {
    String text = node.getValue();
    Matcher reference = REFERENCE.matcher(text);
    List<InterpolatedNode.Part> parts = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    int from = 0;
    while (reference.find()) {
      parts.add(new InterpolatedNode.Part(node, from, reference.start() - from));
      value.append(text, from, reference.start());
      from = reference.end();
      value.append(text(path, node, reference, parts));
    }
    if (parts.isEmpty()) {
      return node;
    }
    parts.add(new InterpolatedNode.Part(node, from, text.length() - from));
    return new InterpolatedNode(node, value.append(text, from, text.length()).toString(), parts);
  }

  /** Returns the text of a variable; adds where it is written. */
  private String text(
      String path, ScalarNode node, Matcher reference, List<InterpolatedNode.Part> parts) {
    String name = reference.group(1);
    ScalarNode variable = written.get(name);
    String text = variable == null ? given.get(name) : variable.getValue();
    if (text == null) {
      Set<String> known = new TreeSet<>(written.keySet());
      known.addAll(given.keySet());
      throw document.error(
          node,
          path,
          "expected one of the variables %s, found ${%s}%s"
              .formatted(known, name, Names.didYouMean(name, known)));
    }
    length += text.length();
    if (length > MAX_TEXT) {
      throw document.error(
          node, path, "expected variables of at most " + MAX_TEXT + " characters in all places");
    }
    used.add(name);
    if (variable != null) {
      parts.add(new InterpolatedNode.Part(variable, 0, text.length()));
    } else {
      text.chars().forEach(c -> parts.add(new InterpolatedNode.Part(node, reference.start(), 1)));
    }
    return text;
  }
}
