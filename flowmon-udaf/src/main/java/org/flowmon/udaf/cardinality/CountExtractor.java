package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;

/** Extractors for states of {@link ApproxCountDistinct} and {@link DistinctSample}. */
enum CountExtractor implements Extractor {
  CARDINALITY("CARDINALITY(state)") {
    @Override
    public BoundExtractor bind(BoundUdaf function, UdafCall call) {
      call.atMost(0);
      return new Count() {
        @Override
        public Estimate extract(SuperState state) {
          return state instanceof DistinctHashes hashes
              ? hashes.count()
              : ((SampledValues) state).count();
        }
      };
    }
  },

  RARE("RARE(state, rows)") {
    @Override
    public BoundExtractor bind(BoundUdaf function, UdafCall call) {
      long most = call.whole(0, "a number of rows", null, 1, Long.MAX_VALUE);
      call.atMost(1);
      return new Count() {
        @Override
        public Estimate extract(SuperState state) {
          return ((SampledValues) state).rare(most);
        }
      };
    }
  };

  private final String signature;

  CountExtractor(String signature) {
    this.signature = signature;
  }

  @Override
  public FunctionCatalogue.Way exact() {
    return this == CARDINALITY
        ? FunctionCatalogue.Way.COUNT_DISTINCT
        : FunctionCatalogue.Way.COUNTS;
  }

  @Override
  public String signature() {
    return signature;
  }

  private abstract static class Count implements BoundExtractor {
    @Override
    public AnswerType type() {
      return AnswerType.estimate(ValueKind.LONG);
    }

    @Override
    public ErrorBound bound(SuperState state) {
      if (state instanceof DistinctHashes hashes) {
        return hashes.error();
      }
      Answer answer = extract(state);
      return ((SampledValues) state).error((Estimate) answer);
    }
  }
}
