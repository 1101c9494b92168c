package org.flowmon.bench.systems;

import org.flowmon.bench.archive.Answer;

/** Collects the rows of an answer one by one. */
final class AnswerRows {
  private final Answer answer;
  private final int columns;
  private int rows;

  AnswerRows(StudyQuery query) {
    this.columns = query.columns();
    this.answer = new Answer(columns);
  }

  /** Adds a row of as many values as the query has columns. */
  void add(long... values) {
    answer.reserve(rows + 1);
    for (int c = 0; c < columns; c++) {
      answer.column(c)[rows] = values[c];
    }
    rows++;
  }

  Answer answer() {
    answer.setRows(rows);
    return answer;
  }
}
