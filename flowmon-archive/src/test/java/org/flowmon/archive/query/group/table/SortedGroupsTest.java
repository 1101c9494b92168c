package org.flowmon.archive.query.group.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.junit.jupiter.api.Test;

class SortedGroupsTest {
  /** More longs than an int counts, and a number that an int counts but no array has. */
  @Test
  void moreGroupsThanAnArrayHoldsAreRefusedWithWhatToDo() {
    for (int size : new int[] {1 << 29, Integer.MAX_VALUE / 5}) {
      SortedGroups.Arena arena = new SortedGroups.Arena(GroupMemory.unlimited());
      AnswerTooLargeException e =
          assertThrows(AnswerTooLargeException.class, () -> arena.reserve(size, 5));
      assertTrue(e.getMessage().contains(String.format("%,d groups", size)), e.getMessage());
      assertTrue(e.getMessage().contains("use fewer keys"), e.getMessage());
      assertEquals(3, arena.reserve(3, 5).size(), "the room that is there can be used");
    }
  }

  @Test
  void asManyGroupsAsAnArrayHoldsAreRoomFor() {
    assertEquals((1 << 28) * 7, LongArrayPool.words(1 << 28, 7));
    assertEquals(Integer.MAX_VALUE - 8, LongArrayPool.words(LongArrayPool.most(1), 1));
    assertThrows(
        AnswerTooLargeException.class, () -> LongArrayPool.words(LongArrayPool.most(3) + 1, 3));
    assertEquals(0, LongArrayPool.words(1 << 30, 0), "groups of keys alone");
  }
}
