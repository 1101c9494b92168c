package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.runtime.tasks.StreamTaskActionExecutor;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxExecutorImpl;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.window.ResultMakers.Making;
import org.junit.jupiter.api.Test;

class ResultMakersTest {
  /** Returns the mailbox of this thread. */
  private static MailboxExecutor mailbox() {
    return new MailboxExecutorImpl(
        new TaskMailboxImpl(Thread.currentThread()), 0, StreamTaskActionExecutor.IMMEDIATE);
  }

  private static WindowResult result(int number) {
    return WindowResult.announcement("a" + number, "", number, 0);
  }

  /** Returns three results, each noted when it is made. */
  private static Consumer<Consumer<WindowResult>> three(List<String> log) {
    return to -> {
      for (int i = 0; i < 3; i++) {
        log.add("made " + i);
        to.accept(result(i));
      }
    };
  }

  @Test
  void whatTheCallerMakesIsGivenBeforeTheNextIsMade() throws Exception {
    List<String> log = new ArrayList<>();
    Making making = new Making(three(log));
    assertEquals(Optional.empty(), making.give(result -> log.add("given " + result.analysis())));
    assertEquals(List.of("made 0", "given a0", "made 1", "given a1", "made 2", "given a2"), log);
  }

  @Test
  void whatAHelperHasBegunIsGivenOnceInOrder() throws Exception {
    List<String> log = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(1);
    try (ResultMakers makers = new ResultMakers(1, mailbox())) {
      Making making =
          new Making(
              to -> {
                begun.countDown();
                three(log).accept(to);
              });
      makers.help(making);
      begun.await();
      assertEquals(Optional.empty(), making.give(result -> log.add("given " + result.analysis())));
    }
    assertEquals(List.of("made 0", "made 1", "made 2", "given a0", "given a1", "given a2"), log);
  }

  @Test
  void whatComesUpMeanwhileIsDone() throws Exception {
    List<String> log = new ArrayList<>();
    MailboxExecutor mailbox = mailbox();
    CountDownLatch reported = new CountDownLatch(1);
    try (ResultMakers makers = new ResultMakers(1, mailbox)) {
      Making making =
          new Making(
              to -> {
                mailbox.execute(
                    () -> {
                      log.add("reported");
                      reported.countDown();
                    },
                    "a report of another analysis");
                try {
                  reported.await(); // for ever, if the caller only waits
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                to.accept(result(1));
              });
      makers.help(making);
      assertEquals(Optional.empty(), making.give(result -> log.add("given " + result.analysis())));
    }
    assertEquals(List.of("reported", "given a1"), log);
  }

  @Test
  void aFailureOfTheMakerIsToldAfterWhatItGaveAndOneOfTheRecipientIsThrown() throws Exception {
    for (boolean helped : new boolean[] {false, true}) {
      try (ResultMakers makers = new ResultMakers(1, mailbox())) {
        IllegalStateException failed = new IllegalStateException("maker");
        CountDownLatch begun = new CountDownLatch(1);
        Making making =
            new Making(
                to -> {
                  begun.countDown();
                  to.accept(result(7));
                  throw failed;
                });
        if (helped) {
          makers.help(making);
          begun.await();
        }
        List<String> given = new ArrayList<>();
        assertSame(failed, making.give(result -> given.add(result.analysis())).orElseThrow());
        assertEquals(List.of("a7"), given);

        CountDownLatch begunAgain = new CountDownLatch(1);
        Making fine =
            new Making(
                to -> {
                  begunAgain.countDown();
                  to.accept(result(7));
                });
        if (helped) {
          makers.help(fine);
          begunAgain.await();
        }
        IllegalStateException further = new IllegalStateException("recipient");
        assertSame(
            further,
            assertThrows(
                IllegalStateException.class,
                () ->
                    fine.give(
                        result -> {
                          throw further;
                        })));
      }
    }
  }
}
