package org.flowmon.deploy.shell;

import java.util.List;
import org.flowmon.udaf.parser.Completion;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/**
 * What the editor asks of a text that is typed: whether it is whole, and what may stand at the
 * caret. The latter is what the dialect's parser takes there.
 */
final class ShellParser implements Parser, Completer {
  @Override
  public ParsedLine parse(String text, int caret, ParseContext context) {
    if (context == ParseContext.ACCEPT_LINE && !Statements.isWhole(text)) {
      throw new EOFError(-1, -1, "';' ends a query");
    }
    return new Typed(text, caret);
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    String before = ((Typed) line).statement();
    if (before.startsWith(".")) {
      String[] words = before.split("\\s+", -1);
      List<String> known =
          words.length == 1 ? DotCommands.names() : DotCommands.arguments(words[0]);
      if (words.length <= 2) {
        known.forEach(name -> candidates.add(candidate(name, words.length == 1)));
      }
      return;
    }
    for (Completion.Proposal one : Completion.at(before, before.length(), false).proposals()) {
      candidates.add(candidate(one.text(), one.type() != Completion.Type.FUNCTION));
    }
  }

  private static Candidate candidate(String text, boolean isWord) {
    return new Candidate(text, text, null, null, null, null, isWord);
  }

  /** A text up to the caret; its word is what a proposal replaces. */
  private record Typed(String line, int cursor) implements CompletingParsedLine {
    String statement() {
      String before = line.substring(0, cursor);
      return before.substring(Statements.last(before)).stripLeading();
    }

    private int from() {
      int from = cursor;
      while (from > 0 && isNamePart(line.charAt(from - 1))) {
        from--;
      }
      boolean isCommand = from > 0 && line.charAt(from - 1) == '.' && statement().startsWith(".");
      return isCommand ? from - 1 : from;
    }

    private static boolean isNamePart(char c) {
      return c == '_' || Character.isLetterOrDigit(c);
    }

    @Override
    public String word() {
      return line.substring(from(), cursor);
    }

    @Override
    public int wordCursor() {
      return cursor - from();
    }

    @Override
    public int wordIndex() {
      return 0;
    }

    @Override
    public List<String> words() {
      return List.of(word());
    }

    @Override
    public CharSequence escape(CharSequence candidate, boolean complete) {
      return candidate;
    }

    @Override
    public int rawWordCursor() {
      return wordCursor();
    }

    @Override
    public int rawWordLength() {
      return wordCursor();
    }
  }
}
