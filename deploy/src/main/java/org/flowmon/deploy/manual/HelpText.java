package org.flowmon.deploy.manual;

import picocli.CommandLine.Help.Ansi;

/** Texts of a command's help, without markup. */
final class HelpText {
  private HelpText() {}

  static String plain(String markup) {
    return Ansi.OFF.string(markup.replace("%n", "\n").replace("%%", "%"));
  }

  /** The first sentence of a description, without its full stop. */
  static String summary(String[] description) {
    String text = description.length == 0 ? "" : plain(description[0]);
    int end = text.indexOf(". ");
    String sentence = end < 0 ? text : text.substring(0, end);
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
