/** {@code flowmon serve}: the archives, reports and analyses over HTTP, with a console. */
@NullMarked
package org.flowmon.deploy.serve;

import org.jspecify.annotations.NullMarked;
