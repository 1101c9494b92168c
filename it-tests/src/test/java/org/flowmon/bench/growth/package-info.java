/** {@code flowmon bench archive manifest}: what an archive costs as its segments grow in number. */
package org.flowmon.bench.growth;
