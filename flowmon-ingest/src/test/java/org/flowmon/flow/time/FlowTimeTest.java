package org.flowmon.flow.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlowTimeTest {
  @Test
  void isWrittenAsIso8601() {
    assertEquals("1970-01-01T00:00:00Z", FlowTime.text(0));
    assertEquals("1969-12-31T23:59:59.999999Z", FlowTime.text(-1));
    assertEquals("2026-11-25T08:30:00.250Z", FlowTime.text(1_795_595_400_250_000L));
    assertEquals("-290308-12-21T19:59:05.224192Z", FlowTime.text(Long.MIN_VALUE));
    assertEquals("+294247-01-10T04:00:54.775807Z", FlowTime.text(Long.MAX_VALUE));
  }

  @Test
  void comesBackFromItsInstantAndText() {
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      long micros = random.nextLong() >> random.nextInt(64);
      assertEquals(micros, FlowTime.micros(FlowTime.instant(micros)), "" + micros);
      assertEquals(micros, FlowTime.micros(Instant.parse(FlowTime.text(micros))), "" + micros);
    }
  }
}
