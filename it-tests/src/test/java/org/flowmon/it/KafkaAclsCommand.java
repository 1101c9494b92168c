package org.flowmon.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** The rights that commands of {@code kafka-acls.sh} give, as they stand in a page. */
final class KafkaAclsCommand {
  private static final String NAME = "kafka-acls.sh ";

  private final List<AclOperation> operations = new ArrayList<>();
  private final List<String> topics = new ArrayList<>();
  private final List<String> groups = new ArrayList<>();
  private String principal = "";
  private PatternType pattern = PatternType.LITERAL;

  private KafkaAclsCommand() {}

  /** All rights that a page's commands give. */
  static List<AclBinding> in(String page) {
    List<AclBinding> rights = new ArrayList<>();
    page.replace("\\\n", " ")
        .lines()
        .filter(line -> line.startsWith(NAME))
        .forEach(line -> rights.addAll(of(line.substring(NAME.length()))));
    return rights;
  }

  private static List<AclBinding> of(String options) {
    KafkaAclsCommand command = new KafkaAclsCommand();
    String[] words = options.strip().split("\\s+", -1);
    for (int i = 0; i < words.length; i++) {
      if (!words[i].equals("--add")) {
        command.take(words[i], words[++i]);
      }
    }
    return command.rights();
  }

  private void take(String option, String value) {
    switch (option) {
      case "--bootstrap-server", "--command-config" -> {}
      case "--allow-principal" -> principal = value;
      case "--operation" -> operations.add(operation(value));
      case "--topic" -> topics.add(value);
      case "--group" -> groups.add(value);
      case "--resource-pattern-type" ->
          pattern = PatternType.valueOf(value.toUpperCase(Locale.ROOT));
      default -> throw new AssertionError("kafka-acls.sh has no option " + option);
    }
  }

  private static AclOperation operation(String name) {
    for (AclOperation one : AclOperation.values()) {
      if (one.name().replace("_", "").equals(name.toUpperCase(Locale.ROOT))) {
        return one;
      }
    }
    throw new AssertionError("no operation of Kafka's: " + name);
  }

  private List<AclBinding> rights() {
    List<AclBinding> rights = new ArrayList<>();
    for (AclOperation operation : operations) {
      AccessControlEntry entry =
          new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW);
      topics.forEach(
          name ->
              rights.add(
                  new AclBinding(new ResourcePattern(ResourceType.TOPIC, name, pattern), entry)));
      groups.forEach(
          name ->
              rights.add(
                  new AclBinding(new ResourcePattern(ResourceType.GROUP, name, pattern), entry)));
    }
    return rights;
  }
}
