/** {@code flowmon bench hostile}: what good traffic keeps while someone attacks beside it. */
package org.flowmon.bench.hostile;
