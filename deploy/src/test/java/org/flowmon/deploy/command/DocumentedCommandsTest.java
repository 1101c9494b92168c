package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.deploy.Flowmon;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands of all documents have options and queries that exist; many run in other tests. */
class DocumentedCommandsTest {
  private static final Pattern COMMAND = Pattern.compile("(\\./|bin/)?flowmon (.*)");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  /** What the launcher does, and what only a shell understands. */
  private static final Set<String> OF_THE_LAUNCHER =
      Set.of("build", "test", "dist", "bench", "run", "fuzz");

  private static final Set<String> OF_A_SHELL = Set.of("#", ">", "<", "|", "&", "2>");

  /** Returns the commands of a document's blocks of code, each in one line. */
  private static List<String> commands(Path document) throws IOException {
    List<String> commands = new ArrayList<>();
    boolean isCode = false;
    String command = "";
    for (String line : Files.readAllLines(document)) {
      if (line.strip().startsWith("```")) {
        assertEquals("", command, document + ": a command that does not end");
        isCode = !isCode;
      } else if (isCode && (!command.isEmpty() || COMMAND.matcher(line.strip()).matches())) {
        boolean goesOn = line.endsWith("\\");
        command += (goesOn ? line.substring(0, line.length() - 1) : line).strip() + " ";
        if (!goesOn && command.chars().filter(c -> c == '"').count() % 2 == 0) {
          commands.add(command.strip());
          command = "";
        }
      }
    }
    return commands;
  }

  private static List<String> words(String command) {
    Matcher start = COMMAND.matcher(command);
    assertTrue(start.matches(), command);
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(start.group(2));
    while (word.find() && !(word.group(3) != null && OF_A_SHELL.contains(word.group(3)))) {
      words.add(Stream.of(1, 2, 3).map(word::group).filter(g -> g != null).findFirst().get());
    }
    return words;
  }

  private static String fault(List<String> words) {
    try {
      Flowmon.commandLine().parseArgs(words.toArray(String[]::new));
    } catch (CommandLine.ParameterException e) {
      return String.valueOf(e.getMessage());
    }
    for (String word : words) {
      if (word.strip().startsWith("SELECT ") || word.startsWith("EXPLAIN ")) {
        try {
          QueryParser.parseQuery(
              word.strip()
                  .replaceFirst("^EXPLAIN ", "")
                  .replace("dns_name", "service")); // the column of one's own in docs/columns.md
        } catch (QueryException e) {
          return String.valueOf(e.getMessage());
        }
      }
    }
    return "";
  }

  @Test
  void optionsAndQueriesOfAllDocumentsExist() throws IOException {
    List<Path> documents = new ArrayList<>(List.of(Path.of("..", "README.md")));
    try (Stream<Path> pages = Files.walk(Path.of("..", "docs"))) {
      pages.filter(page -> page.toString().endsWith(".md")).sorted().forEach(documents::add);
    }
    List<String> faults = new ArrayList<>();
    int read = 0;
    for (Path document : documents) {
      for (String command : commands(document)) {
        List<String> words = words(command);
        if (OF_THE_LAUNCHER.contains(words.get(0)) || command.contains("…")) {
          continue;
        }
        read++;
        String fault = fault(words);
        if (!fault.isEmpty()) {
          faults.add(document + ": " + command + "\n  " + fault);
        }
      }
    }
    assertTrue(read > 80, read + " commands");
    assertEquals("", String.join("\n", faults));
  }
}
