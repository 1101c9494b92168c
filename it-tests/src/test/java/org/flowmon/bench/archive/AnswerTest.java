package org.flowmon.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AnswerTest {
  private static final List<AnswerKind> KINDS = List.of(AnswerKind.NUMBER, AnswerKind.NUMBER);

  private static Answer of(long[]... rows) {
    Answer answer = new Answer(rows[0].length);
    answer.reserve(rows.length);
    for (int r = 0; r < rows.length; r++) {
      for (int c = 0; c < rows[r].length; c++) {
        answer.column(c)[r] = rows[r][c];
      }
    }
    answer.setRows(rows.length);
    return answer;
  }

  @Test
  void theOrderOfRowsCountsOnlyWhereItIsPartOfTheAnswer() {
    Answer one = of(new long[] {1, 10}, new long[] {2, 20});
    Answer turned = of(new long[] {2, 20}, new long[] {1, 10});
    assertEquals(one.summary(KINDS, false), turned.summary(KINDS, false));
    assertNotEquals(one.summary(KINDS, true), turned.summary(KINDS, true));
  }

  @Test
  void valuesThatChangedTheirRowsDifferThoughTheSumsAreTheSame() {
    Answer one = of(new long[] {1, 10}, new long[] {2, 20});
    Answer mixed = of(new long[] {1, 20}, new long[] {2, 10});
    assertEquals(one.summary(KINDS, false).sums(), mixed.summary(KINDS, false).sums());
    assertNotEquals(one.summary(KINDS, false), mixed.summary(KINDS, false));
  }
}
