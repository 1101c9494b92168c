package org.flowmon.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Zeek logs as TSV and JSON, CSV, JSON lines and flow batches in a file, plain or gzipped. */
final class TextFilesFuzz implements FuzzTarget {
  private static final List<String> TEXTS =
      List.of(
          "#separator \\x09\n"
              + "#set_separator\t,\n"
              + "#empty_field\t(empty)\n"
              + "#unset_field\t-\n"
              + "#path\tconn\n"
              + "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice"
              + "\tduration\torig_bytes\tresp_bytes\tconn_state\n"
              + "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount"
              + "\tstring\n"
              + "1790000000.5\tC1\t10.0.0.1\t5353\t2001:db8::1\t53\tudp\tdns\t0.01\t40\t120\tSF\n"
              + "1790000001.5\tC2\t10.0.0.2\t1\t10.0.0.3\t2\ttcp\t-\t-\t-\t-\tS0\n",
          "{\"ts\":1790000000.5,\"uid\":\"C1\",\"id.orig_h\":\"10.0.0.1\",\"id.orig_p\":5353,\"id.resp_h\":\"10.0.0.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"orig_bytes\":40}\n",
          "end_time,src_addr,dst_addr,src_port,dst_port,protocol,bytes,packets\n"
              + "2026-09-21T13:46:40Z,10.0.0.1,10.0.0.2,1,2,6,100,1\n"
              + "\"2026-09-21 13:46:41\",10.0.0.1,2001:db8::2,,443,tcp,1e3,\"\"\n",
          "{\"end_time\":\"2026-09-21T13:46:40.123456Z\",\"src_addr\":\"10.0.0.1\",\"bytes\":7}\n"
              + "{\"time_flow_end_ns\":1790000000000000000,\"src_addr\":\"::1\",\"packets\":1}\n");

  @Override
  public String name() {
    return "text-files";
  }

  @Override
  public String about() {
    return "Zeek TSV and JSON, CSV, JSON lines and files of flow batches, plain or gzipped";
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (String text : TEXTS) {
      seeds.add(text.getBytes(StandardCharsets.UTF_8));
    }
    seeds.add(FileReading.gzip(seeds.get(0)));
    seeds.add(FuzzFlows.batch(3, 5).bytes());
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return FileReading.allocationLimit(input);
  }

  @Override
  public void run(byte[] input) throws IOException {
    FileReading.read(input);
  }
}
